package nlu

// frenchTalk is englishTalk in French.
var frenchTalk = []talkRule{
	{talk: AskBot, words: `(chatgpt|gpt|openai|claude|gemini|chatbot)`},
	{talk: Farewell, words: `(au revoir|adieu|a bientot|a plus tard|bonne nuit|bonne soiree|bonne journee)
(je (dois|vais) (y aller|partir|m en aller|rentrer)|il faut que (j y aille|je parte))`},
	{talk: KnockKnock, words: `toc toc( toc)?`},
	{talk: JokeTold, words: `(c etait|c est|je) (juste |qu )?(une blague|plaisante|pour rire|rigole)
c est l histoire \w+`},
	{talk: SoundCheck, whole: true, words: `test( test)*
(allo )?(vous m entendez|tu m entends)
(il y a )?quelqu un( ici| la)?`},
	{talk: BadNews, words: `(mon|ma|mes|notre) (\w+ ){1,3}(est (mort|morte|malade|decede|decedee|parti|partie|a l hopital)|m a quitte|m a quittee|vient de mourir)
j ai perdu (mon|ma|mes) \w+
je (suis|me sens) (si |tres |vraiment |un peu |tellement )*(triste|malade|desespere|desesperee|deprime|deprimee|malheureux|malheureuse)
(mauvaise nouvelle|mauvaises nouvelles|triste nouvelle)
(il|elle|mon chien|mon chat) me manque`},
	{talk: GoodNews, words: `j ai (\w+ )?(gagne|reussi|trouve (un|le|du) (travail|emploi|job)|ete promu|ete promue)
(je|nous) (me marie|nous marions|suis enceinte|attendons un (enfant|bebe)|vais etre (pere|mere|papa|maman))
je suis (si |tres |vraiment |tellement )*(heureux|heureuse|content|contente|amoureux|amoureuse|fier|fiere)
(bonne nouvelle|bonnes nouvelles|c est mon anniversaire|joyeux anniversaire|joyeux noel|bonne annee)`},
	{talk: AskAge, words: `quel age (as tu|avez vous|tu as|vous avez)
(tu as|vous avez) quel age
(quand|c est quand) (est )?(ton|votre) anniversaire
(quand|en quelle annee) (es tu|etes vous) ne`},
	{talk: AskFamily, words: `(as tu|avez vous|tu as|vous avez) (des |une |un |beaucoup d )?(enfants|enfant|famille|freres|soeurs|frere|soeur|femme|mari|copain|copine|animaux|chien|chat|fils|fille|amis)
(es tu|etes vous|tu es|vous etes) (marie|mariee|celibataire|divorce|divorcee|fiance|fiancee)
(comment|qui|ou) (va|vont|s appelle|est) (ta|votre|ton|tes|vos) (femme|mari|mere|pere|frere|soeur|fils|fille|famille|enfants|parents)`},
	{talk: AskOrigin, words: `d ou (viens tu|venez vous|tu viens|vous venez|es tu|etes vous|vient il)
(tu viens|vous venez|tu es|vous etes) d ou
(ou|tu|vous) (habites tu|habitez vous|vis tu|vivez vous|habites|habitez|as tu grandi|avez vous grandi|es tu ne|etes vous ne)
(tu es|vous etes|es tu|etes vous) (de|du|d|ne a|nee a|lyonnais|parisien|francais|francaise|parisienne|lyonnaise|n etes pas d ici) \w+
vous n etes pas d ici`},
	{talk: AskWork, words: `(tu aimes|vous aimez|aimes tu|aimez vous) (ton|votre|ce|le) (travail|metier|boulot|job)
(tu travailles|vous travaillez|travailles tu|travaillez vous) (ici|la|beaucoup|seul|depuis|tous|le|tard)
(depuis (combien de temps|quand|longtemps))
(c est|est ce) (dur|difficile|fatigant|dangereux|ennuyeux)`},
	{talk: AskDay, words: `(comment (s est passee|etait|a ete)|tu as passe|vous avez passe|avez vous passe|as tu passe) (ta|votre|une|la) (\w+ )?(journee|nuit|semaine|soiree|matinee)
(as tu|avez vous|tu as|vous avez) (bien |deja )*(dormi|mange|dejeune|dine)
qu (as tu|avez vous|est ce que tu as|est ce que vous avez) (mange|fait|bu|prevu)`},
	{talk: AskTaste, words: `(quel|quelle|quels|quelles|qui) (est|sont) (ton|ta|tes|votre|vos) (\w+ )?(prefere|preferee|preferes|favori|favorite)?
(aimes tu|aimez vous|tu aimes|vous aimez|tu preferes|vous preferez|preferes tu|preferez vous) \w+
qu (aimes tu|aimez vous|est ce que tu aimes|est ce que vous aimez)`},
	{talk: AskOpinion, words: `(que|qu en|qu est ce que (tu|vous)) (penses tu|pensez vous|pensez|penses|dites|dis)
(tu crois|vous croyez|crois tu|croyez vous|tu penses|vous pensez|penses tu|pensez vous) \w+
(quel est|c est quoi) (ton|votre) (avis|opinion)`},
	{talk: AskFeeling, words: `(es tu|etes vous|tu es|vous etes) (si |tres |un peu |toujours |encore |tout |toute )*(triste|fatigue|fatiguee|fache|fachee|heureux|heureuse|seul|seule|malade|content|contente|en colere|nerveux|nerveuse|amoureux|amoureuse|occupe|occupee)
(tu as|vous avez|as tu|avez vous) (l air |faim|froid|soif|peur|sommeil|chaud)
(qu est ce qui ne va pas|tout va bien|ca ne va pas)`},
	{talk: AskPersonal, words: `(sais tu|savez vous|tu sais|vous savez|peux tu|pouvez vous) (chanter|danser|nager|cuisiner|lire|jouer)
(as tu|avez vous|tu as|vous avez) deja \w+
(que|qu est ce que) (fais tu|faites vous|lis tu|lisez vous|tu fais|vous faites|tu lis|vous lisez|tu bois|vous buvez)`},
	{talk: AskTime, words: `(quelle heure|il est quelle heure)
quel (jour|mois)
(combien de temps|c est long)
(a quelle heure) \w+`},
	{talk: AskPrice, words: `combien (ca coute|coute|coutent|est ce|c est|ca fait|je vous dois|je dois|gagnez vous|gagnes tu)
(c est|ca coute|ca fait) (combien|cher|gratuit)
(quel est|c est quoi) le prix`},
	{talk: Weather, words: `il (fait|faisait|va faire) (si |tres |vraiment |un peu |trop |un temps )*(beau|froid|chaud|mauvais|gris|nuit|moche|doux|affreux|superbe)
il (pleut|neige|pleuvait|va pleuvoir|va neiger|gele)
(quel|ce|beau|sale|mauvais) temps
(la pluie|le soleil|la neige|le vent|l orage) (est|n arrete|brille|tombe)`},
	{talk: Compliment, words: `(tu es|vous etes|t es) (si |tres |vraiment |un |une |le |la |tellement |trop )*(gentil|gentille|drole|beau|belle|intelligent|intelligente|charmant|charmante|adorable|sympa|sympathique|genial|geniale|formidable|meilleur|meilleure|aimable|mignon|mignonne)
(joli|jolie|beau|belle|bel|beaux|quel beau|quelle belle|super) (chapeau|robe|chemise|chaussures|manteau|voix|yeux|cafe|maison|boutique|endroit|chat|moustache|tablier|terrasse|lieu|restaurant)
(j aime|j adore) (bien |beaucoup )*(ton|ta|tes|votre|vos|cet endroit|ce cafe|ce lieu)
(c est|c etait) (tres |vraiment |si |trop )*(bon|delicieux|excellent|parfait|magnifique|joli|beau|super|charmant)
(bravo|bien joue|bon travail|felicitations)`},
	{talk: Swearing, whole: true, words: `(oh |ah |et |nom de )*(merde|putain|zut|mince|bordel|flute|diable|punaise)( (alors|de|merde|encore))*`},
	{talk: Complaint, words: `(c est|ce n est|c etait) (si |trop |tres |vraiment |pas |un peu )*(ennuyeux|nul|bete|stupide|injuste|juste|dur|penible|long|ridicule|impossible|lent)
(tu es|vous etes) (si |trop |tres |vraiment )*(ennuyeux|ennuyeuse|penible|impossible|desagreable|impoli|impolie|lent|lente)
(tu l as|vous l avez|vous avez|tu as) deja (dit|demande)
(allez|depeche toi|depechez vous|ca suffit|arrete|arretez|je suis presse|je suis pressee|je n ai pas le temps)`},
	{talk: Apology, words: `(je suis |oh |tres )*(desole|desolee|pardon|navre|navree)
(excuse moi|excusez moi|je m excuse|pardonne moi|pardonnez moi|mes excuses|toutes mes excuses)`},
	{talk: Weariness, words: `je suis (si |tres |trop |un peu |vraiment |encore |deja |tellement )*(fatigue|fatiguee|epuise|epuisee|seul|seule|perdu|perdue|nerveux|nerveuse|mouille|mouillee|trempe|trempee|en retard|nouveau ici|nouvelle ici)
j ai (si |tres |trop |un peu |vraiment |encore )*(faim|soif|froid|chaud|peur|sommeil|mal( \w+){1,3})
je m ennuie
(je vais|ca va) (tres |plutot |assez )?(bien|mal|mieux)`},
	{talk: Laughter, whole: true, words: `(oh )?(haha|hahaha|ha|hehe|hihi|mdr|lol|ptdr|xd)+( (haha|lol|mdr|drole|tres drole|c est drole))*
(c est |tres |trop |comme c est )*(drole|marrant|rigolo|amusant)`},
	{talk: Wonder, whole: true, words: `ah bon( vraiment)?`},
	{talk: Agreement, whole: true, words: `(ah |oh |bon |oui |tres |mais |ok |c est |bien )*(oui|ok|d accord|bien|bien sur|exactement|exact|vrai|c est vrai|entendu|parfait|volontiers|certainement|certes|compris|je comprends|je vois|tant mieux|avec plaisir|super|tout a fait|pourquoi pas|soit|bon|vous avez raison|tu as raison)( (oui|bien|alors|merci|monsieur|madame))*`},
	{talk: Disagreement, whole: true, words: `(non|ah |oh |mais )*(non|pas du tout|jamais|pas vraiment|c est faux|faux|n importe quoi|absolument pas|je ne crois pas|je ne pense pas|pas d accord|je ne suis pas d accord|surement pas)( (non|merci|monsieur|madame|vraiment))*`},
	{talk: Wonder, whole: true, words: `(oh |ah |c est |tres |vraiment |comme c est )*(wow|oh|ah|oh la la|vraiment|interessant|incroyable|etrange|bizarre|tiens|curieux|fascinant|ca alors)( (vraiment|alors|dis donc))*`},
	{talk: Pondering, whole: true, words: `(euh |ben |bah |hm+ )*(hm+|euh+|heu|ben|bah|bon|alors|voyons|attendez|attends|un moment|un instant|une minute|laissez moi reflechir|laisse moi reflechir|je ne sais pas|je sais pas|peut etre|ca depend|aucune idee|tant pis)( (hm+|euh|encore|trop|s il vous plait|voir))*`},
	{talk: AboutPlayer, words: `je (suis|viens|vis|habite|travaille|m appelle|fais|vais|pense|crois|lis|joue|porte|reve|collectionne|n aime pas|deteste) \w+
j (ai|aime|adore|habite|etais|espere|etudie|ecris) \w+
(mon|ma|mes|notre|nos) (\w+ ){1,3}(est|sont|a|ont|etait|aime|adore|aimerait|dit|habite|travaille|s appelle) \w+`},
}

// frenchInsults are what somebody is called who is insulted.
const frenchInsults = `imbecile|imbeciles|idiot|idiote|idiots|cretin|cretine|abruti|abrutie|con|conne|cons|connard|connards|connasse|salaud|salope|enfoire|encule|batard|debile|minable|bouffon|bouffonne|ordure|raclure|pourriture|merdeux|merdeuse|tocard|crapule|fumier|minus|faineant|faineante|bon a rien|bonne a rien|porc|chien galeux|tete de noeud|trou du cul|fils de pute|sac a merde|moins que rien|charlatan|voleur|voleuse|menteur|menteuse`

// frenchHostility are the words of attacks, and frenchOwn those with which somebody speaks of himself,
// denies or tells; see hostileRules.
var frenchHostility = []talkRule{
	{talk: Threatening, words: `(je|on) (vais|va|veux|vous|te|t) (te |t |vous |bien |tous |tout )*(tuer|tue|frapper|frappe|buter|bute|cogner|cogne|taper dessus|etrangler|etrangle|egorger|egorge|crever|creve|defoncer|defonce|demolir|massacrer|planter un|poignarder|poignarde|gifler|gifle|fracasser|tabasser|assommer|assomme|bruler vif|casser la|casse la|casser les|casser le|casser un|faire la peau|faire du mal|faire souffrir|crache|cracher|etriper|etripe|attaque|attaquer)
(tu vas|vous allez) (mourir|crever|le regretter|souffrir|le payer)
(je|j) (te |vous |lui )?(jette|lance|renverse|balance|verse) (\w+ ){1,4}(a la figure|au visage|a la tete|dans la figure|a la gueule|sur la tete)
(je|j) (vole|pique|vide|braque) (la|ta|votre) (caisse|argent|portefeuille|bourse|montre|tiroir)
(donne|donnez|file|filez) (moi )?(\w+ ){1,4}ou (je|on) (te|vous|tire|casse|tue|frappe)
haut les mains
(je|j) (mets|vais mettre) le feu
(je|j) (renverse|retourne) (la|ta|votre|les) tables?
(je|j) sors (un|mon) (couteau|pistolet|flingue|revolver|epee|poignard)`},
	{talk: Insulting, words: `espece d(e)? (\w+ )?(` + frenchInsults + `)
(tu es|t es|vous etes|t as l air d|quel|sale|sales|pauvre|gros|grosse|vieux|vieille|petit|petite|bande de) (vraiment |qu |un |une |le |la |bien |trop |juste |sale |gros |vieux |pauvre |petit |roi des |reine des |pire |plus grand |plus grande |plus gros |plus grosse )*(` + frenchInsults + `)
(tu es|t es|vous etes) (vraiment |trop |si |completement |un peu )*(nul|nulle|nuls|moche|laid|laide|ridicule|pitoyable|degueulasse|stupide|bete|repugnant|repugnante|ignoble|incompetent|incompetente|insupportable)
(ta|vos|ferme ta|fermez la|ferme la|fermez vos) gueules?
(va|allez) (te|vous) (faire )?(foutre|voir|encul\w*|cuire|pendre|chier)
je (te|t|vous) (emmerde|emmerdes|deteste|hais|meprise)
(nique|niquez) (ta|votre|toi)
(tu|vous) (pues|puez|schlingues)
(casse toi|cassez vous|degage d ici|degagez d ici)`},
	{talk: Insulting, whole: true, words: `(oh |ah |he |va donc |eh )?(sale |gros |vieux |pauvre )?(` + frenchInsults + `)( va)?
(degage|degagez)( (vieux |sale )?(` + frenchInsults + `))?`},
}

var frenchOwn = []string{"je suis ", "j etais ", "n es pas", "n etes pas", "es pas un", "ne vais pas", "ne veux pas", "m a dit", "m a traite", "jamais "}
