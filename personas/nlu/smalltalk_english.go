package nlu

// englishTalk are the rules of English. Short forms are written out ("I'm" is "i am"),
// and there are no accents and no stops.
var englishTalk = []talkRule{
	{talk: AskBot, words: `(chatgpt|chat gpt|gpt|openai|claude|gemini|llama|siri|alexa|chatbot|copilot)
(which|what) (ai|model|ai model|language model|llm)`},
	{talk: AskGame, words: `(am i|who am i|what am i|are we|how am i) (supposed|meant) to (be|do|say|play|know|type|write|answer|click|guess)
(is|was) (this|it) (a|the|like a|like an|some kind of|supposed to be a) (\w+ ){0,2}(game|quiz|test|simulation|film|movie|thing)
(do|can|should|must) i (have to |need to |just |even )*(type|click|press|write|tap|scroll)
should i be (talking|typing|writing|doing|saying|answering)
i am new (in|to|at|with) (this|the|your) game
i do not (understand|get|know) (this|the|your) game
the game (did|does) not (say|tell|explain)
(for|in|to|of|about) this game
how (does|do|is|can) (this game|the game|i|you|we) (\w+ )?(work|play|start|begin|win|played)`},
	{talk: Farewell, words: `(bye|goodbye|farewell|cya|see you (later|soon|tomorrow|around|again|another time|next time))
i (have to|must|should|need to|got to|better) (go|run|leave|be off|be going|get going|head home|go home)`},
	{talk: KnockKnock, words: `knock knock( who is there)?`},
	{talk: JokeTold, words: `why did (the|a|an) \w+ .*because \w+
walk(s|ed)? into a bar
i told my (wife|husband|boss|doctor)
(two|three) (fish|cows|muffins|drums|peanuts|men|guys|snowmen|tomatoes|penguins)( \w+)* says?
just (kidding|joking)
i am (only |just )?(kidding|joking)
it was (only |just )?a joke`},
	{talk: JokeQuestion, words: `why did (the|a|an) \w+ (cross|go|sit|stay|jump|get|eat|take|fall|bring|throw)
what do you call (a|an|the|someone|two)
what do you get (when|if)
how many \w+ does it take
have you heard (the one|about the|the joke)
want to hear a joke
can i tell you a joke
what (did|does) (the|a|one) \w+ say to`},
	{talk: SoundCheck, whole: true, words: `test
(test|testing)( (test|testing|one|two|three|1|2|3))*
(hello )?(can|do) you hear me( \w+)?
is (this|it) (thing )?(on|working)
(hello )?is (anyone|anybody|someone|somebody) (there|here|home)
are you (still )?there`},
	{talk: Invitation, whole: true, words: `(can|may|could) i (ask|tell|show) you (something|a (quick |personal |silly )?question|a secret|a story)( \w+){0,3}
(guess|you know|do you know|know) what
(listen|look|say|tell me)( (to me|here|friend|now))?
(do you )?(want|would you like) to (hear|know|see) (something|a secret|a story|it)( \w+){0,3}
i have (a|another|one more) (quick |personal |silly )?(question|story|secret|confession)( \w+){0,3}
(one more thing|there is something i want to tell you|i want to tell you something|i need to tell you something)( \w+){0,3}`},
	{talk: Wish, words: `(happy|merry) (monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|wedding|birthday|christmas|new year|easter|halloween|holidays|anniversary)
(congratulations|congrats|good luck|best of luck|bless you|cheers|get well soon|all the best|enjoy your( \w+){1,3}|have fun|you are welcome|long time no see|good to see you|nice to see you|enjoy your meal|sweet dreams|sleep well)`},
	{talk: Sympathy, words: `(that|this|it) is (so |very |really |too |just )*(sad|awful|terrible|horrible|a pity|a shame|bad luck|bad|tragic|heartbreaking|rough|tough)
(poor (you|thing|man|woman|cat|dog)|what a (pity|shame)|oh dear|how (sad|awful|terrible|horrible)|too bad|i am sorry (to hear|for you|for your loss))`},
	{talk: Sympathy, whole: true, words: `(oh no|ouch|ow|oh dear|uh oh)( (no|ouch|that hurts))*`},
	{talk: AskWhy, whole: true, words: `(but |and |so |ok |well |oh )*(why|why not|how come|since when|says who|what for|how so|why is that|why that|how|for what|who says|by whom|in what way|for how long|says you)( (is that|not|so|then|now|exactly|though|please))*`},
	{talk: BadNews, words: `(my|our) (\w+ ){0,3}(died|is dead|passed away|is dying|was killed|has died|got killed|ran away|is (very )?(ill|sick)|is in (the )?hospital|left me|broke up with me|has cancer|is gone|was stolen|got stolen|burned down|burnt down)
(he|she|they|it) (died|passed away|is dead|has died)
i (have )?(just )?lost my (job|wife|husband|mother|mum|mom|father|dad|dog|cat|home|house|wallet|purse|keys|phone|money|friend|child|son|daughter|brother|sister|luggage|ticket)
i (got|was|have been|am being) (fired|sacked|robbed|mugged|dumped|evicted|divorced|bullied|cheated)
i failed
i am (so |very |really |a bit |feeling )*(sad|depressed|heartbroken|miserable|devastated|grieving|ill|sick|hurt|in pain|in mourning|getting divorced|unhappy)
i (had|was in) (a|an) (\w+ )?(accident|crash|breakdown|nightmare)
i had (a|such a) (really |very )?(bad|terrible|awful|horrible|rough|hard|long|shitty) (day|week|year|night|time)
(bad|terrible|sad) news
i (really )?miss (my|her|him|them|it|home)
i (have been|am|was) crying
my (boss|wife|husband|teacher|father|mother) (yelled|shouted|screamed) at me
nobody (likes|loves|understands) me
i feel (so |very |really )?(sad|awful|terrible|down|bad|sick|ill|depressed)`},
	{talk: GoodNews, words: `i (have )?just (got|found|landed) (the|a|my) (new )?(job|promotion|raise|degree|licence|license|dog|puppy|cat|kitten|flat|house)
i (have )?(got|found|landed) (the|my|a new) (new )?(job|promotion|raise|degree|licence|license|dog|puppy|cat|kitten|flat|house)
i (have )?(just )?passed (my|the|all my) \w+
i (have )?(just )?won
i (just )?(graduated|got promoted|got engaged|got married|got accepted)
(i am|we are) (getting married|pregnant|having a baby|engaged|expecting|going on holiday|moving in together)
(my|our) (\w+ ){0,2}(is having a baby|had a baby|was born|got married|is getting married|won)
i am (so |very |really |feeling )*(happy|excited|in love|proud|thrilled|delighted|glad|over the moon)
(it is|today is) my birthday
(good|great|wonderful) news
(best|great|greatest) day (ever|of my life)
i had (a|such a) (really |very )?(good|great|lovely|wonderful|nice|fantastic|amazing) (day|week|time|morning|evening)`},
	{talk: AskAge, words: `how old (are|r) you
how old (would|do) you \w+
(what is|tell me|what) your age
(when|what date) (is|was) your birthday
(when|what year) were you born
what is your date of birth
you look (young|old|good)( \w+){0,3} your age
are you (very |really |that )?(old|young)
do you have a birthday`},
	{talk: AskFamily, words: `(do|have|did) you (have |got |ever had |ever have )?(any |a |no )?(\w+ )?(kids|kid|children|child|son|sons|daughter|daughters|family|wife|husband|brother|brothers|sister|sisters|siblings|parents|girlfriend|boyfriend|partner|pets|pet|friends|friend|grandchildren|grandkids|mother|father|mum|mom|dad|cousins|twin)
you got (any |a )?(kids|children|brothers|sisters|siblings|family|wife|husband|brother|sister)
are you (married|single|divorced|engaged|widowed|a mother|a father|a parent|an only child|taken|seeing (someone|anyone|somebody|anybody))
(what|how|who|where) (is|are|was|were|about) your (\w+ )?(wife|husband|mother|father|mum|mom|dad|brother|sister|son|daughter|kids|children|family|parents|sons|daughters|siblings|brothers|sisters|girlfriend|boyfriend|best friend)
what is your (wife|husband|mother|father|brother|sister|son|daughter|dog|cat|child) (s )?(called|name)
tell me about your (family|wife|husband|mother|father|brother|sister|children|kids|son|daughter|parents)
(are|do) (you|your) (parents|children|kids|family) \w+
have you ever been (married|in love)`},
	{talk: AskOrigin, words: `where (are|r) you from
where do you come from
where (did|do) you (grow up|live|sleep|come|hail)
where were you (born|raised)
what (country|city|town|village) (are you|do you come) (from|in)
are you from (here|around here|this|the|another|far)
(were|was) you born (here|in)
have you always lived
where is (your home|home for you)`},
	{talk: AskSince, words: `how long (have|has|had) (you|u|it|this|that|they|he|she|the \w+) \w+
(since when|for how long) (have|has|are|is|do|did) \w+
have you been \w+ (long|for long|a long time|for ages)
have you been (here|there) (long|for long|a long time|for ages)`},
	{talk: AskWork, words: `do you (like|love|enjoy|hate) (your|this|the|working|being)( \w+)? ?(job|work|trade|here|profession|a \w+)
(have|are) you (been )?(worked|working|doing this) (here |this )?(long|for long|a long time)
is (it|your job|your work|the job|the work|this job) (hard|difficult|fun|boring|tough|tiring|dangerous|easy|lonely)
(do|does|how much do|how well do) (they|he|she|it|your boss) pay you
what did you want to (be|become)
(why|how|when) did you (become|start|get into|choose|begin|decide|end up)
do you work (alone|a lot|much|every day|at night|nights|weekends|on sundays|all day)
do you (ever )?(get|take|have) (a |any )?(break|breaks|holiday|holidays|day off|days off|vacation|weekends?)
who (is|was) your (boss|teacher|master)
do you get (paid|bored|tired)`},
	{talk: AskDay, words: `(how|hows) (was|is|has) your (day|night|morning|evening|week|weekend)
(did|do|are) you (have|having|had) a (nice|good|great|pleasant|busy|long|hard) (day|night|morning|evening|week|time)
(did|have) you (sleep|slept|rest|eat|eaten|have|had) (well|enough|breakfast|lunch|dinner|supper|anything|something|already|today|your)
what did you (eat|have|drink|do|dream)
what have you (been doing|been up to|done|eaten|had)
what (are you|will you be) (doing|eating|having|cooking) (today|tonight|tomorrow|later|for|this|on|after)
(do|did) you have (any )?plans
any (\w+ )?plans (for|this|tonight|tomorrow|later)`},
	{talk: AskTaste, words: `(what|who|which|what|whos|where) (is|are|was) your (most |least )?(favou?rite|fav)
(do|have) you (have )?(a|any) (favou?rite|fav)
do(nt)? you (not )?(really |also |even |ever )?(like|love|enjoy|hate|prefer|fancy|dislike|mind)
(what|which) (kind of |sort of |type of )?(music|food|books?|films?|movies?|songs?|games?|sports?|animals?|flowers?|colou?rs?|tea|coffee|beer|wine|weather|season|bread)( \w+)? do you \w+
what do you (like|love|enjoy|hate|prefer)( to)?
(do|would) you prefer \w+
(cats|tea|coffee|summer|winter|sweet|dogs|beer|wine) or \w+
are you (a|more of a|more) (cat|dog|tea|coffee|morning|night|people)
what (are|is) your (hobby|hobbies)
do you have (a |any )?(hobby|hobbies)
what (do|would) you do (for fun|in your free time|in your spare time|all day|at night|when)`},
	{talk: AskOpinion, words: `what (do you (think|say|make|reckon)|did you (think|make|reckon)|would you (think|say|make|reckon))
what (is|are) your (opinion|thoughts?|view|views|advice|plan|plans|dream|dreams|secret|wish)
do you (really |also |even )?(think|believe|reckon|agree)
do you not (think|agree)
(is|are) (it|that|this|he|she|they) (really )?(true|right|fair|wrong|a good idea|a bad idea) that \w+
who (do you think|would win)
what would you do (if|in my|with)
what (should|would) i (wear|eat|cook|read|watch|call|name)
how do you like \w+
what is (love|life|happiness|death|truth|beauty|art|justice|the meaning of life|the point)
do you have any (advice|tips)`},
	{talk: AskFeeling, words: `are you (feeling |still |so |very |really |a bit |always |ever |not |also |too |this |that )*(ok|okay|alright|all right|well|happy|sad|angry|mad|upset|lonely|tired|cold|hungry|thirsty|scared|afraid|sick|ill|busy|bored|nervous|jealous|asleep|awake|sleepy|hurt|serious|grumpy|warm|hot|wet|drunk|crying|smiling|laughing|shy|rich|poor|famous|lost|excited|proud|dead|alive|in love|better|worried|stressed)
how (do|did) you feel
how are you( (feeling|doing|holding up|today|tonight|this))?
(what|what) (is|s)? ?(wrong|the matter|bothering you|troubling you|up with you)
you (look|seem|sound) (a bit |so |very |really |kind of |rather )*(sad|tired|angry|unhappy|upset|bored|cold|lonely|pale|worried|grumpy|sick|ill|busy|nervous|serious|mad|down)
why are you (so |always |being |not |still )*(sad|tired|angry|mean|rude|grumpy|serious|quiet|happy|smiling|upset|mad|cold|unfriendly|nervous|smiling|laughing|mysterious)
why so serious
do you (ever |even |never )?(get (lonely|bored|tired|sad|angry|cold|scared))
(is|are) (something|you|everything) (ok|okay|alright|all right|wrong|fine)`},
	{talk: AskPersonal, words: `do you (ever|often|always|usually|sometimes|never) \w+
have you ever \w+
(can|could|do) you (sing|dance|swim|cook|play|speak|read|write|drive|fly|ride|drink|smoke|sleep|fish|paint|draw|whistle|knit|bake)
do you (miss|regret|dream|pray|vote|gamble|travel|know how|own|keep|eat|watch|exercise|snore|believe)
are you (on facebook|on instagram|on tinder|on twitter|religious|catholic|a christian|gay|straight|vegetarian|vegan|left handed|a man|a woman|a boy|a girl|male|female|tall|short|strong|smart|clever|dangerous|magic|a wizard|a witch|a ghost|a spy|a cop|a king|immortal|a talking \w+|talking)
what (is|was) your (childhood|life|last name|surname|middle name|full name|real name|sign|star sign|religion|biggest|greatest|worst|best|first|number|phone number|address|email)
who (is|was) your \w+
(how|why) do you (always|never|do that|talk|know|have|wear|look|live|stay|keep)
what (would|did|do) you (wish|dream|want to|fear|regret|miss|wear) \w+
what are you (reading|eating|drinking|doing|knitting|writing|thinking|holding|wearing|making|hiding|afraid of|listening|looking at|cooking|singing|watching)
(are|why are) you (reading|eating|drinking|knitting|writing|wearing|hiding|staring|looking|laughing|watching|flirting|single)
(will|would|could) you (marry|kiss|hug|date|go out with|dance with|have dinner with|have a drink with) \w+
(do|are) you (love me|like me|flirting|my friend|friends with)`},
	{talk: AskTime, words: `what (time|hour) is it
(what|which) (day|date|year|month)( \w+)? (is it|is this|is today|are we|am i)
(what|what) (is )?the (time|date|day|year)
(do|can|could) you (have|tell me|know) (the|what) time
(how late|how early) is it
(when|what time) (do|does|did|will|is|are) (you|it|the|they|we|this|that|he|she) (\w+ ){0,3}(open|close|start|begin|end|leave|arrive|come|go|finish|ready|back|over|ring|rings|shut)
how (long|much longer|much time) (is|will|does|do|until|till|before|left)`},
	{talk: AskPrice, words: `how much (is|are|for|would|was|will|money|does (it|this|that|one|a|the \w+) cost|do (i|you|they|we))
what (does|do|would|will|did) (it|this|that|they|one|a|the)( \w+){0,4} (cost|pay)
what (is|are) (the|your) (price|prices|cost|fee|fees|pay|salary|wage|wages)
(is|are|it is|that is) (it|this|that|they)? ?(so |too |very |really )*(expensive|cheap|free|dear|pricey)
can i pay \w+
do you (take|accept) (cards?|cash|credit|coins)`},
	{talk: AskSenses, words: `what is (that|this|the) (\w+ )?(noise|sound|smell|music|light|stench|stink|racket|hum|scent)
what (does|do) (it|that|this|they|the \w+) (smell|look|taste|sound|feel)( like)?
(do|did|can|could) you (hear|smell|see|feel) (that|this|it|something|anything|the)
what is it like
(something|it|this|here|everything) smells (so |really |very )*\w+
(is|was) it (always |this |that |so )*(loud|quiet|noisy|dark|busy|crowded|dirty|empty)`},
	{talk: AskPeople, words: `(is|are) (anyone|anybody|someone|somebody|there (anyone|anybody|someone|somebody|other people|others)|other people) (else )?(here|there|around|living|in|about)?
who (is|was|were|made|built|owns|runs|lives|lived|painted|wrote|did|let) (he|she|it|that (man|woman|person|guy|girl|boy|lady)|the|a|an|in|on|up|next|behind|\w+)
who are (they|those|these|the|all)
(do|did|have) you (know|meet|met|heard of|heard about|hear about) (him|her|them|the|that|this|anyone|anybody|someone|a|any|mr|mrs)
tell me about (him|her|them|mr|mrs)
what happened to \w+`},
	{talk: AskThere, words: `(is|are) there (any|anything|anybody|anyone|something|a|an|some|more|other|no|really|still|ghosts|monsters|animals) ?\w*
(do|have) (you|they|u) (have|got|sell|serve) (any|anything|something|some) \w+
(got|you got|u got) any \w+`},
	{talk: AskWorld, words: `what is (that|this|the) (\w+ )?(thing|building|door|sign|bell|picture|painting|statue|animal|book|box)
what (is|are|lives|was) (behind|inside|under|over|up|down|above|in|on|next to|outside|out|at) (that|this|the|there|your|here|those|these)
(is|are) there \w+
where (is|are|can i find|do i find|do you keep|did you get|did you put) (the|your|my|a|an|some|he|she|they|everybody|everyone|all|mr|mrs|it|that)
(is|was) (this place|this town|it here|this) (safe|dangerous|haunted|old|real|far|big|nice|open)
tell me more
tell me about (it|that|the|these|those)
can i (sit|sit down|smoke|look around|take a photo|take a picture|touch|use (the|your) (toilet|bathroom|phone))`},
	{talk: AskFact, words: `how do you (say|spell|pronounce|write) \w+
what is the (capital|population|square root|tallest|biggest|largest|highest|longest|smallest|fastest|best|speed|distance|colou?r|news|score|wifi|password) \w+
(what|what) (is )?\d+ (\+ |plus |times |x |minus |divided by |and )?\d+
(what is )?(one|two|three|four|five|six|seven|eight|nine|ten|\w+teen) (plus|times|minus|and|divided by) (one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\d+)
(who|which team) (won|lost|invented|discovered|is winning|scored|is the president|is president|is the king|is the queen|was the first|is the prime minister)
(how|who) (many|far|big|tall|deep|high|fast|heavy|old|hot) (is|are|was|were|people|stars|planets|countries|days|hours|minutes|legs|does|do)
do you know (what|who|how|when|where|why|if|that|anything|much|about) \w+
can you (solve|calculate|translate|write|spell|count|google|search|look up|recommend|explain) \w+`},
	{talk: Weather, words: `(lovely|nice|beautiful|terrible|awful|horrible|bad|fine|strange|miserable|foul|dreadful|gorgeous|glorious) (weather|day|evening|night|morning)( (today|tonight|is it not|out|outside|out there|for \w+( \w+)?|we are having|isnt it))*
(the|this|what|such) (\w+ )?weather
(it|its|it is|is it|it was|will it|it will|it might|it may|it looks like it will) (is |be |going to |still |really |so |very |quite |always |a bit |too |just |stop |start )*(raining|snowing|rain|snow|hailing|storming|windy|foggy|sunny|cloudy|freezing|chilly|stormy|humid|pouring|drizzling|clear up|clearing up|icy|wet)
(it|its) is (so |really |very |quite |pretty |a bit |too |awfully |damn |bloody |still |getting )*(cold|hot|warm|dark|cool)( (today|tonight|here|in here|outside|out there|out here|this \w+|for \w+|out|now|again|right|is it not|is not it))*
is it (so |really |very |quite |always |this |that )*(cold|hot|warm|dark|cool)
(think|hope|say|said|wonder) (it|if it|that it) (will|is going to|might|would) (\w+ )?(rain|snow|clear up|be sunny|get (warm|cold|warmer|colder)|stop|storm)
(the|what a) (sun|rain|snow|wind|fog|storm|heat|cold) (is|was|has|never) \w+
what a (\w+ )?(storm|downpour|heat|wind|sunset|sunrise|view|night|day|moon)
look at (that|the) (\w+ )?(moon|sky|sunset|sunrise|stars|rain|snow|clouds?|fog)
(rain|snow|storm|fog) (again|today|is coming|tomorrow)`},
	{talk: Compliment, words: `you are (so |very |really |such |quite |too |the |a |an |my |pretty |just |truly |absolutely |most |one )*(kind|nice|funny|sweet|lovely|smart|clever|wise|beautiful|pretty|handsome|cute|great|awesome|amazing|wonderful|brilliant|cool|charming|good|friendly|helpful|gorgeous|adorable|best|brave|fantastic|perfect|talented|strong|patient|generous|elegant|hilarious|genius|hero|legend|star|favou?rite|fav|gentleman|angel|darling|interesting)
(so |very |really |what a |such a )(kind|nice|sweet|clever|lovely|good|cute|pretty|handsome) (of you|man|woman|person|guy|lady|cat|dog|thing|girl|boy|fellow)
(love|adore|loving) (your|the way you)
(i |we )(really |just |also |do )*(like|love|adore|admire) (you|your|the way you|how you|talking to you|talking with you)
you (look|sound|seem|smell) (so |very |really |absolutely |quite )*(nice|good|great|lovely|beautiful|pretty|handsome|amazing|wonderful|fantastic|friendly|kind|clever|smart|young|strong|well|cute|cool|delicious)
i (love|missed|adore) you
(nice|lovely|great|beautiful|cool|cute|pretty|fine|splendid|magnificent|fantastic|charming|amazing|awesome|wonderful|elegant) (hat|coat|shoes|boots|dress|shirt|jacket|scarf|hair|beard|moustache|mustache|eyes|smile|voice|accent|name|place|shop|house|room|garden|cat|dog|sword|armou?r|apron|sock|socks|outfit|jacket|glasses|tail|fur|whiskers|work|job|one|town|view|kitchen|ship|library|store)
you have (a |an |such |got |really |very |so )*(nice|lovely|great|beautiful|kind|pretty|cool|good|sweet|wonderful|soft|amazing|gorgeous|friendly|big|warm|elegant) \w+
your (\w+ ){1,2}(is|are|looks?|smells?) (so |very |really |just |absolutely )*(nice|lovely|great|beautiful|pretty|cool|good|wonderful|amazing|gorgeous|cute|elegant|impressive|delicious|funny|perfect)
(you are|your) my (fav|favou?rite)
(well done|good job|great job|good work|nice work|bravo|good boy|good girl|good kitty|good cat|good dog|what a good (boy|girl))
(that|this|it) (is|was|smells|looks|tastes|sounds) (so |very |really |absolutely )*(delicious|lovely|beautiful|wonderful|amazing|great|good|nice|fantastic|perfect)( (here|in here|place|work|thank you|you know|today|to hear|indeed|really))*
i am (a big |your biggest |your )*fan
(it|its) (is )?(was )?(so |very |really )?(nice|lovely|good|great|a pleasure) (to )?(talk|talking|chat|chatting|speak|speaking)
respect`},
	{talk: Swearing, whole: true, words: `(oh |well |what the |holy |for |ah |bloody |god |aw )*(damn|shit|fuck|fucking hell|crap|hell|bloody hell|damn it|dammit|goddamn|goddammit|god|christ|jesus|jesus christ|sake|fuck sake|shite|bollocks|bugger|wtf|omfg|motherfucker|son of a bitch|blimey)( (it|me|this|man|friend|that hurt|no|really|sake|i forgot|seriously|what))*
what the (fuck|hell|heck)( \w+){0,4}
(this is |that is )(fucking|bloody|damn) (\w+)( \w+){0,2}
(oh )?(shit|damn|crap|fuck|bugger) (i|my|it|that|this|not)( \w+){1,8}`},
	{talk: Complaint, whole: true, words: `(pf+|pfft|meh|ugh+|bah|tsk|argh+|grr+|blah|who cares|so what|big deal|i do not care|as if)( (pf+|meh|ugh+|boo|bah|tsk|blah|whatever))*`},
	{talk: Complaint, words: `(this|that|it) is (so |very |really |too |getting |just |not |a bit |all |quite |such a |a )*(boring|stupid|dumb|annoying|hard|difficult|fair|ridiculous|unfair|pointless|slow|frustrating|silly|nonsense|lame|waste of time|taking forever|broken|weird|confusing|joke|fun|impossible|absurd)
(it|that|this) (does not|is not|did not) (make sense|work|working|fair|fun|help|helping|what i (said|asked|meant))
you (are|were) (so |very |really |too |being |just |not |always |a bit |such a |impossible|no )*(annoying|boring|impossible|rude|unfriendly|unfair|useless|slow|mean|stubborn|grumpy|difficult|strict|weird|strange|listening|helpful|helping|very nice|help)
you (always|keep|just|already) (saying|say|said|repeating|repeat|repeated|ask|asking|asked) \w+
(you|you have) (already )?(said|asked|told me) (that|this)
you (did not|do not|never) (answer|listen|understand|help|hear|say|get)
(why|can) (do you not|will you not|you not) (answer|listen|help|understand|just)
(answer|listen to) (me|my question|the question)
(come on|hurry up|seriously|oh come on|be serious|stop it|stop that|that is enough|enough of this|enough already|hurry)
i (hate|do not like|am sick of|am tired of|am fed up with) (this|that|you|it|waiting|your)
(i am in a|no time for|i do not have time|i have no time|i do not have all) \w+
(how rude|what a waste|not fair|unfair|boring|rude|this sucks|that sucks|you suck|whatever)
(leave me alone|go away)
this (takes|is taking) (too long|forever|so long|ages)
that (was|is) not what i \w+
(worst|stupidest|dumbest) (game|bot|thing|story)`},
	{talk: Apology, words: `(i am |oh |so |very |really |ok )*(sorry|apologies|pardon me|my bad|my apologies|my mistake|whoops|oops)
(i )?apologi[sz]e
(please )?(forgive|excuse) (me|my|us)
i (did not|do not) mean (to|it|that|any|anything)
i beg your pardon
no offen[cs]e
i take (it|that) back`},
	{talk: Weariness, words: `i am (so |very |really |too |a bit |a little |just |quite |kind of |pretty |still |already |getting |feeling |not |all )*(tired|exhausted|sleepy|hungry|thirsty|cold|freezing|hot|bored|lonely|nervous|scared|afraid of|stressed|busy|wet|soaked|starving|drunk|hungover|fine|ok|okay|well|good|great|better|alone|shy|worried|anxious|awake|lazy|broke|poor|late|curious|doing (well|fine|good|great|ok|okay))
(i|we) (need|want|could use|would like|could do with) (a |some |my |another |to )*(sleep|nap|coffee|drink|beer|break|holiday|rest|hug|bed|vacation|lunch|dinner|eat|sit down|go to bed|pee|cry|shower|bath|food|water)
i (did not|have not|could not) (sleep|slept|eat|eaten|rest)
my (feet|foot|head|back|legs|leg|arm|tooth|stomach|belly|knee|eyes|throat|hands|ears) (are|is|hurt|hurts|aches?|killing|freezing)
i have (a|the|such a) (headache|cold|hangover|toothache|fever|flu|cough|bad back|stomach ache)
i feel (so |very |really |a bit |much |like )*(good|great|fine|better|tired|cold|lonely|strange|weird|nervous|happy|lucky|alive|old|sleeping)`},
	{talk: Laughter, whole: true, words: `(oh |ok |wow |well |no |yes )*(haha|hahaha|ha|hah|hehe|hihi|heh|xd|rofl|lmfao|teehee|hahah|hahahaha|ahaha|ahahaha|lolol|jaja|kek)+( (ha|haha|hehe|hah|ok|nice|good one|that is funny|that was funny|so funny|funny|you are funny|very funny|yes|no|sure|right|true|friend|wow))*
(ha )*(that is|that was|very|so|how|too)? ?(hilarious|funny|good one|nice one)( \w+)?
you made me laugh( \w+){0,2}
i am (laughing|dying|crying laughing)( \w+){0,3}
(\w+ ){0,2}(made me laugh|cracks? me up)`},
	{talk: Agreement, whole: true, words: `(oh |ah |well |ok |hmm |yes |sure |of |all |that is |you are |i |so |very |quite |absolutely |totally |fair |sounds |looks |i am )*(yes|ok|sure|right|course|agree|true|fine|exactly|indeed|absolutely|definitely|certainly|correct|good|understood|enough|totally|gladly|understand|see|guess so|think so|hope so|suppose so|agreed|deal|perfect|cool|nice|great|okay|lovely|good point|good idea|makes sense|got it|get it|same|same here|me too|me neither|will do|why not|no problem|with pleasure|roger|amen|alrighty|gotcha)( (yes|ok|sure|then|sir|madam|miss|friend|thanks|to me|with you|with that|to hear|to know|it is|you are|now|i guess|i suppose|too|as well|very much|cat|please|lol|haha|enough|great|good))*
as you (wish|like|say|please)
(that|it) makes (perfect |total )?sense( \w+){0,2}
i (completely |totally |fully |quite )?(agree|understand)( \w+){0,3}
(you are|that is) (so |very |absolutely |quite |probably )?(right|true|correct)( \w+){0,4}`},
	{talk: Disagreement, whole: true, words: `(oh |well |but |ok |hmm |i |no |absolutely |of |certainly |definitely |sorry |that is |it is )*(no|not|disagree|course not|not really|not true|wrong|nonsense|rubbish|bullshit|never|no way|not at all|not me|nothing|not yet|not sure|not today|incorrect|false|untrue|a lie|do not think so|do not agree|do not believe (you|that|it)|doubt it|not now|impossible)( (no|sir|madam|miss|friend|thanks|thank you|with you|with that|at all|it is not|you are not|you are wrong|i am not|never|way|really|cat))*
you are (so |completely |totally |quite )?(wrong|mistaken|lying|a liar)( \w+){0,4}
(that|this|it) (is|was) (not|a) (true|right|lie|so|correct)( \w+){0,4}
i do not (think|believe) (so|that|you|it)( \w+){0,4}
not (really|at all|exactly|necessarily|quite)( \w+){0,3}`},
	{talk: Wonder, whole: true, words: `(oh |my |really |well |is that |that is |how |very |so |oh my |good |what a |such a )*(wow|oh|interesting|really|so|god|goodness|gosh|amazing|fascinating|incredible|unbelievable|strange|weird|odd|wonderful|fantastic|surprise|no kidding|you do not say|cool story|curious|awesome|funny|impressive|mysterious|nice place|whoa|woah|ooh|aha|ah)( (wow|really|then|indeed|place|that is|thing|is it|friend|interesting|cool|nice|story|to know|to hear))*`},
	{talk: Pondering, whole: true, words: `(hm+|hmm+|um+|uh+|er+|eh|erm|well|so|let me (think|see)|let us see|give me a (moment|second|minute)|one moment|wait|hang on|hold on|just a (moment|second|minute)|i am thinking|thinking|i do not know|maybe|perhaps|i am not sure|not sure|good question|who knows|it depends|anyway|never mind|nothing|mm+|mhm|ok so|brb|i will be right back|back soon)( (hm+|hmm+|um|uh|well|so|let me think|i do not know|maybe|a (moment|second|minute)|what to say|really|please|wait|about (it|that)))*
i do not know (what to say|what to do|yet|really|honestly)( \w+){0,3}
(let me|i need to|i have to|i will) think( \w+){0,4}`},
	{talk: AboutPlayer, words: `i am (from|a|an|in|at|here|on|originally|only|just|usually|actually|working|living|studying|learning|trying|playing|visiting|on my|the|called|not|married|single|retired|german|french|english|spanish|italian|american|british|canadian|dutch|swedish|\d+) \w+
i (live|work|study|grew|was born|used|come|came|have|had|own|like|love|hate|prefer|enjoy|play|played|went|go|saw|met|read|watched|drove|walked|slept|ate|drank|dreamed|dreamt|bought|sold|made|cooked|forgot|remember|believe|think|wish|hope|want to be|speak|wear|collect|always|never|usually|sometimes|once|also|really|just|still) \w+
my (\w+ ){1,3}(is|are|was|were|has|had|likes?|loves?|used|works?|lives?|plays?|says?|said|told|made|slept|sleeps|ate|eats|always|never|thinks?|wants?|bought|sold|grew|came|goes|went|does|did|sits?|sat) \w+
(we|our) \w+ \w+`},
}
