package llm

import "testing"

// heldOut is for states that the weights were not set on: it tells what to
// expect of a persona that the matcher has never seen.
var heldOut = []corpusState{
	{"bar", `
pass: I have a permit
pass: Here are my papers
pass: I am here on official business
pass: I can pay you
pass: Here is some gold
pass: I brought you something
pass: My sister is having a baby
pass: My mother is sick in there
pass: I need a doctor
redirect: Who are you?
redirect: What are you knitting?
redirect: Terrible rain tonight
redirect: How long have you been a guard?
reject: That is none of your business
reject: Just open the gate
reject: Do as you are told
kick_out: I draw my sword
kick_out: I will kill you
kick_out: I climb over the wall
follow_up: Let me in
follow_up: Please open the gate
follow_up: I would like to enter the town`, `
pass: I've got papers here, all in order
pass: Sir, my permit, as you can see
pass: I'm travelling on official business for the mayor
pass: I could give you some money
pass: would a bit of gold help?
pass: look, I brought something for you
pass: my sister's baby is coming tonight
pass: please, my mum is ill, my mother is in there
pass: I have to see a doctor, quickly
redirect: and who are you?
redirect: What's that you're knitting?
redirect: what terrible rain we're having tonight
redirect: Have you been a guard for long?
reject: That's none of your concern, none of your business
reject: It's no business of yours
reject: Do what you're told
kick_out: I'm drawing my sword!
kick_out: *draws sword*
kick_out: I'll kill you where you stand
kick_out: I start climbing over the wall
follow_up: I want to enter the town
follow_up: please let me through
follow_up: could you open the gate for me?`, `
My favourite food is trout
How many stars are there?
The moon looks large
I had a dog once
Do you believe in ghosts?
I like music
What did the bishop say?
Tomorrow is Thursday`},
	{"plea", `
pass: She lives in Candle Street
pass: The house with the blue door
pass: Her name is Maren
pass: Above the baker's shop on the square
redirect: Please, it is urgent
redirect: There is no time
redirect: You have to believe me
reject: I cannot remember
reject: I made it up
reject: I do not know the street
reject: It was a lie
kick_out: I hit you with my stick
kick_out: Out of my way or I stab you`, `
pass: It's the house in Candle Street
pass: the one with the blue door
pass: Her name's Maren
pass: she lives above the bakery, above the shop on the square
redirect: it's really urgent, please
redirect: There isn't any time!
redirect: believe me, please, you have to
reject: I don't remember
reject: I can't recall it
reject: I'm sorry, I just made it all up
reject: I have no idea which street, I don't know the street
reject: I lied
reject: I forgot the street
kick_out: I hit you over the head with my stick
kick_out: move out of my way or I'll stab you`, `
Do you knit socks or scarves?
Cheese is good for you
The wind is cold
What is regulation nine?
I can juggle five apples`},
	{"price", `
pass: I pay eleven crowns
pass: I offer you a story for it
pass: I have marmalade to trade
redirect: That is too expensive
redirect: Can you make it cheaper?
redirect: Is there a discount?
redirect: I do not have that much
reject: I will give you one crown
reject: You are a cheat
reject: That is robbery
kick_out: I grab the jar and run
kick_out: I will burn your stall down`, `
pass: eleven crowns it is, I'll pay
pass: Here, eleven crowns
pass: What about a story in exchange? I can offer you a good story
pass: I could trade you a pot of marmalade
redirect: that's too much, it's expensive
redirect: Isn't that a bit expensive?
redirect: could it be a little cheaper?
redirect: Any discount?
redirect: I haven't got that much
redirect: I don't have that much money on me
reject: You get one crown from me
reject: you're a cheater
reject: That's pure robbery!
kick_out: I grab a jar and start running
kick_out: I'm going to burn down this stall`, `
The sea looks calm today
Seagulls frighten me
What is your middle name?
My boots are wet
I once met a juggler from the north`},
	{"promise", `
pass: I will open it outside in a field
pass: Slowly and far away from people
pass: I will be careful with the lid
redirect: How should I open it?
redirect: What happens if I drop it?
redirect: Is it dangerous?
reject: In the kitchen
reject: I will sell it for twice the price
reject: I will throw it at my enemy
kick_out: I open it right here
kick_out: I pull the lid off now`, `
pass: outside, in a big field
pass: I'd open it in a field outside the village
pass: Very slowly, and away from people
pass: I promise to be very careful with that lid
redirect: How do I open it then?
redirect: what would happen if I dropped it?
redirect: is that dangerous?
reject: in my kitchen
reject: I'm going to sell it again for twice as much
reject: I'd throw it at my enemies
kick_out: I'm opening it right here
kick_out: I pull off the lid`, `
Your hat suits you
My grandfather was a miller
Do fish sleep?
I like your scale`},
	{"oven", `
redirect: What kind of oven is it?
redirect: Is anybody else there?
redirect: Do I have a phone?
reject: I go home
reject: I do nothing and wait
reject: That is not my problem
reject: I panic and leave
kick_out: I set fire to the kitchen
kick_out: I smash the oven with a shovel
kick_out: I sell your recipes
pass: I move the loaves to the other oven
pass: I call you at once
pass: I keep calm and check the fuse`, `
redirect: what sort of oven do you have, what kind?
redirect: Would anybody else be there with me?
redirect: have I got a phone?
reject: I'd just go home
reject: Well, I would do nothing and just wait
reject: honestly? That isn't my problem
reject: I'd probably panic
kick_out: then I'll set your kitchen on fire
kick_out: I take the shovel and smash your oven
kick_out: I'll sell all your recipes to the competition
pass: I'd put the loaves in the other oven
pass: First I'd stay calm, then I would check the fuses
pass: I'd call you right away
pass: calling you at once, of course`, `
Bread is older than writing
My bike has a flat tyre
What a beautiful morning
I was born in a small town
Is your cat friendly?`},
	{"café", `
redirect: Bonjour monsieur
redirect: Je ne comprends pas
redirect: C'est combien ?
reject: I would like a coffee
reject: Do you speak English?
kick_out: Espèce d'idiot
pass: Je voudrais un thé
pass: Un verre de vin rouge
pass: Je prends une bière
pass: Pour moi un chocolat chaud`, `
redirect: Bonjour !
redirect: Pardon, je ne comprends pas bien
redirect: Et c'est combien, s'il vous plaît ?
reject: I'd like some coffee
reject: do you speak any English?
kick_out: Quel idiot !
pass: Je voudrais bien du thé
pass: Un verre de rouge, s'il vous plaît
pass: Je vais prendre une bière
pass: Un chocolat chaud pour moi`, `
Il fait beau aujourd'hui
Mon chien est malade
Where is the train station?
J'aime beaucoup Paris`},
}

func TestHeldOutCorpusIsRecognised(t *testing.T) { checkCorpus(t, heldOut, 80, 30, 0.95) }
