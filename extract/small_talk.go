package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Small talk is recognised by writing a sentence as its lower-case words, with the
// names it addresses as "@", and holding that to one pattern: a row of set phrases
// and nothing else. A sentence that says one thing more is not small talk.

const (
	degree = `(?:so|very|really|super|pretty|such|quite|too|truly|just|absolutely|always|all|totally|incredibly|extremely|kinda|awfully|a bit|a lot|how)`
	praise = `(?:great|good|awesome|amazing|cool|nice|wonderful|fantastic|lovely|beautiful|gorgeous|sweet|inspiring|impressive|interesting|incredible|funny|hilarious|fun|exciting|sad|tough|terrible|awful|bad|crazy|wild|true|right|fair|fine|perfect|excellent|brilliant|adorable|cute|delicious|yummy|tasty|stunning|powerful|touching|heartwarming|kind|thoughtful|helpful|hard|rough|scary|neat|sick|rad|dope|lit|wise|smart|correct|marvelous|terrific|superb|thrilling|relaxing|refreshing|magical|fascinating|cozy|useful|handy|relatable|special|strong|brave|big|thrilled|happy|proud|glad|excited|fast|quick|hilarious|classic|legendary|unreal|insane)`
	thing  = `(?:news|idea|job|work|point|question|thing|stuff|photo|pic|picture|shot|story|one|choice|plan|answer|advice|suggestion|tip|way|time|day|start|move|news|achievement|accomplishment|memories|experience|feeling|attitude|goal|progress|memory|names?)`
)

var smallTalk = newPattern(`^(?:(?:` + strings.Join([]string{
	// Greetings.
	`(?:hi|hello|hey+|heya|hiya|yo|howdy|greetings|welcome|sup|dear)(?: back| again| there| all| everyone| everybody| guys| folks| team| @)*`,
	`good (?:morning|afternoon|evening|day|night)`, `(?:good )?(?:morning|evening)`,
	`(?:it's |it is |it was )?(?:` + degree + ` )?(?:been )?(?:nice|good|great|lovely|wonderful|awesome|pleasure|a pleasure) (?:to (?:see|hear|meet|talk|chat|catch up|chatting|know)|hearing|seeing|talking|chatting|catching up)(?: from| to| with| that)?(?: you| ya)?`,
	`long time no (?:see|talk|chat|speak)`, `(?:what's|whats) up`, `how(?:'s| is| are| have)? (?:it going|you(?: doing| been)?|everything|things|life)`,
	`(?:i )?hope (?:you're|you are|ur|this finds you|all is|everything is|you've been|you have been)(?: all)?(?: doing)? (?:well|good|great|okay|ok)`,
	// Thanks.
	`(?:thanks|thank you|thank u|thx|ty|tysm|cheers|many thanks|big thanks)(?: again| so| very| much| a| lot| bunch| million| ton| heaps| in advance)*(?: for (?:(?:the|your|all|all the|all your|always|being|sharing|so|that|this|those|these|my) ?)*(?: ?(?:help|support|advice|info|information|tips?|asking|sharing|encouragement|kind|words|word|kindness|answer|reply|update|explanation|suggestions?|recommendations?|recs?|listening|everything|having me|checking in|reminding me|understanding|compliments?|clarification|clarifying|heads up|invite|invitation|letting me know|there|here|me|with me|patience|time|feedback|insights?|ideas?|that|this|it|love|motivation|amazing|great|awesome|such|a|good|friend|of|you|and))*)?`,
	`(?:i )?(?:really |truly |so |do )?(?:appreciate|appreciated)(?: (?:it|that|this|you|your|the|kind|words|support|help|advice|so|very|much|a lot|all|and|encouragement|offer|thought))*`, `much appreciated`,
	`(?:your|those|these) (?:kind )?(?:words|support|help|encouragement|kindness|backing)(?: and (?:words|support|help|encouragement|kindness))? (?:` + degree + ` )?(?:mean|means|meant) (?:` + degree + ` )?(?:a lot|so much|the world|a great deal|everything|lots)(?: to me| to us)?`,
	`(?:that|it|this) (?:` + degree + ` )?means (?:a lot|so much|the world)(?: to me)?`,
	// Agreeing, acknowledging, wondering.
	`(?:ok|okay|okey|oki|k|kk|sure|sure thing|yes|yeah|yea|yep|yup|ya|yess+|no|nope|nah|right|exactly|absolutely|definitely|totally|indeed|of course|certainly|completely|got it|gotcha|understood|i see|i understand|noted|alright|all right|all good|fair enough|no problem|no worries|no prob|np|not at all|you're (?:very |most |so )?welcome|you are (?:very )?welcome|ur welcome|yw|anytime|any time|my pleasure|don't mention it|true|for sure|will do|done|roger|deal|copy that|as you wish|that's all|that's it|nothing else|never mind|nevermind)`,
	`(?:that )?(?:makes|make) (?:` + degree + ` |perfect |total |a lot of |much )*sense`, `(?:(?:i|we) )?(?:` + degree + ` |completely |100 |definitely |couldn't )*(?:agree|agreed|agree more)(?: with (?:you|that|@))?`,
	`(?:that's|that is)? ?(?:the (?:spirit|way)|what i'm talking about)`,
	`(?:wow|woo|whoa|woah|oh|ah|aha|ahh+|uh|um|umm+|hm+|huh|oops|ugh|aw+|damn|dang|omg|yay+|woo+hoo+|woot|hooray|yum|phew|yikes|gosh|geez|jeez|ooh+|man|my god|my gosh|my goodness|oh my|no way|really|seriously|wait what|i know|right on|hell yeah|oh yeah|boo|nice one|good one|bravo|kudos|props)`,
	`(?:me too|you too|same here|same|likewise|ditto|(?:i )?(?:really |sure )?hope so|i think so|i guess(?: so)?|i bet|let's do it|let's go|(?:we|you|i) got this|(?:you|we) can do (?:it|this)|go for it|can't wait)`,
	`(?:big |huge |many )?(?:congrats|congratulations|congratz|well done|good job|great job|nice job|nice work|great work|way to go|good for you|good luck|best of luck|all the best|best wishes|fingers crossed|cheers to that|happy for you|here's to (?:that|you|us))(?: (?:on|with) (?:that|this|it|everything|your (?:new )?(?:job|journey|success|achievement|project|future)|the (?:new )?(?:job|journey)))?`,
	`(?:i'm |i am |we're )?(?:` + degree + ` )?(?:sorry|my bad|excuse me|pardon|apologies)(?: (?:to hear|about|for)(?: (?:that|this|it|the delay|your loss))?)?`,
	`(?:i'm |i am )?(?:` + degree + ` )?(?:glad|happy|thrilled|proud|excited|delighted|pleased|stoked) (?:(?:to (?:hear|know|see|help|be of help|assist)|for|of|that)(?: (?:that|this|it|you|from you|so|both))*|(?:i could|i was able to) help|you (?:like|liked|love|loved|enjoyed|found) (?:it|that|this|them)(?: helpful| useful)?|(?:that|it|this) (?:helped|helps|worked)|it was helpful|you asked)`,
	`(?:(?:i )?(?:don't|do not|dont) (?:know|think so|mind|care|remember)|dunno|(?:i have )?no (?:idea|clue)|(?:i'm )?not (?:really )?sure|i (?:guess|think|suppose) not|i see what you mean|(?:(?:that|this|it) )?(?:` + degree + ` )?(?:helped|helps|worked|works)(?: me)?(?: a lot| so much)?)`,
	`(?:i'm|im|i am|we're|doing|all)(?: doing)? (?:` + degree + ` )?(?:fine|good|ok|okay|well|alright|great|not bad)`,
	`(?:i|we) (?:do|don't|did|didn't|am|will|won't|can|can't|have|haven't|would|wouldn't|was|wasn't)`,
	`(?:(?:a )?(?:very )?(?:happy|merry|blessed) (?:birthday|christmas|xmas|new year|easter|holidays|anniversary|thanksgiving|halloween|diwali|eid|hanukkah|friday|monday|sunday|weekend)|happy holidays|season's greetings|cheers)`,
	// Laughing.
	`(?:a?(?:ha){2,}h?|ha|heh|he{1,2}(?:he)+|hi(?:hi)+|lo+l+|lmao+|lmfao|rofl|xd+|ja(?:ja)+|k{3,}|w{3,}|rs(?:rs)+|mdr|ahah\w*)`,
	// Leaving.
	`(?:bye+(?: bye)?|goodbye|good bye|later|laters|cya|ttyl|farewell|ciao|adios|peace|brb|be right back|gtg|gotta (?:go|run)|(?:i )?(?:have|need|got) to (?:go|run)(?: now)?|i'm off|i must go|until (?:next time|then|tomorrow)|sleep well|sweet dreams|stay (?:safe|strong|positive|well|healthy|tuned|awesome|in touch)|keep (?:in touch|it up|going|rocking|smiling|shining|(?:up )?(?:the|that|up) (?:good|great|amazing|awesome|fantastic|excellent|incredible|wonderful)? ?(?:work|vibes|spirit)))`,
	`(?:(?:i'll )?(?:see|catch|talk to|talk|speak to|speak|chat with|chat|meet) )(?:(?:with )?(?:you|ya|u) )?(?:soon|later|around|tomorrow|(?:on )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|then|next time|again|there|again soon|next week|in a bit)`,
	`take (?:it easy|care(?: of (?:yourself|yourselves))?)`,
	`(?:hope you )?(?:have|enjoy)(?: a| an| your| the)? (?:` + degree + ` |rest of (?:your|the) )*(?:good|great|nice|lovely|wonderful|awesome|amazing|fantastic|fun|safe|happy|blast|relaxing|blessed)? ?(?:day|one|night|evening|afternoon|morning|weekend|time|week|trip|rest|break|holiday|vacation|it|yourself|fun|flight|journey|meal|there)?`,
	// Reacting to what the other said.
	`(?:(?:that|this|it|these|those|they|all that|everything)(?:'s|'re| is| are| was| were| sounds?| looks?| seems?| feels?| must be| must have been| must feel)?|sounds?|looks?|seems?|(?:your|the|that|this) ` + thing + `(?:'s| is| sounds?| looks?| was)) (?:like )?(?:a |an )?(?:` + degree + ` )*(?:a |an )?` + praise + `(?: ` + thing + `| to (?:hear|see|know|me)| of you| stuff| for (?:you|me|us))*`,
	`(?:(?:what|such) an? |(?:` + degree + `|what) )+` + praise + `(?: ` + thing + `| of you| to (?:hear|see|know)| for you)*`,
	praise + `(?: (?:` + thing + `|to (?:hear|know|see)(?: that| this| it)?|of you|stuff|for (?:you|us)))*`,
	`(?:i )?(?:` + degree + ` )?(?:love|like|loved|liked|loving) (?:it|that|this|these|those)(?: (?:idea|one|so much|too|a lot|photo|picture|pic))*`,
	`(?:you|u)(?:'re| are| look| seem| sound) (?:doing |being )?(?:` + degree + ` )*(?:an? )?(?:` + praise + `|the best|an? (?:true |real |great |good )?(?:gem|legend|star|inspiration|lifesaver|angel|genius|friend|champ|hero)|too kind|rock(?:s|ing)?)(?: (?:` + thing + `|friend|person|@))*`,
	`(?:you|u) rock`, `what a (?:day|story|life|journey|relief|coincidence|shame|pity|bummer|surprise|blast|view|game|shot|win|ride|trip|adventure|treat|dream|joy|blessing)`,
	`(?:good|great|excellent|interesting|nice|lovely) question`, `(?:that's|it's|that is) (?:all )?(?:for (?:now|today)|okay|ok|alright)`,
	`(?:time flies|life is good|fair point|good point|great minds think alike|it is what it is|you know|i mean|as always|as usual|let me (?:see|think)|one (?:moment|second|sec)|give me a (?:moment|second|sec|minute)|hang on|hold on|just a (?:moment|second|sec|minute)|anyway|anyways|by the way|btw|guess what|you know what|long story short|to be honest|tbh)`,
	`(?:i (?:have|got|'ve got)|(?:just )?(?:a|one)|another|quick|one (?:more|last)|i've got)(?: a| another| one)?(?: quick| small| more| last| simple)* question(?: for you| please)?`,
	`(?:i'll|i will|will) (?:remember (?:that|this|it)|keep (?:that|this|it) in mind|make a note(?: of (?:that|it))?|note (?:that|it)(?: down)?|let you know|check it out|give it a (?:try|shot|go)|try (?:it|that))`,
	// How the talk goes.
	`(?:oh )?(?:i )?(?:didn't|did not|never) know (?:that|this)`, `not bad(?: at all)?`, `could be (?:better|worse)`, `(?:i )?(?:found it|figured it out|got it working|fixed it|solved it)`, `(?:that|it|this)(?: still)? (?:didn't|doesn't|did not|does not|won't|isn't) (?:work|working|help|helping)(?: either| for me| yet)?`,
	`still (?:not working|broken|the same|doesn't work|nothing)`, `same (?:error|problem|issue|result|thing)(?: again| here)?`, `(?:i )?(?:still )?(?:don't|dont|do not) (?:get|understand|follow)(?: it| that| this)?`, `(?:oh )?i (?:get|got|see|understand) (?:it|that|what you mean)(?: now)?`,
	`(?:that's|you're|youre|this is|it's|thats|ur|that is|you are) (?:` + degree + ` )?(?:wrong|incorrect|not true|not right|right|correct|false)`, `test(?:ing)?(?: \d+)*`, `(?:asdf|qwert)\w*`, `you(?:'ve| have)? (?:` + degree + ` )*(?:helped|saved)(?: me| us)?(?: (?:a lot|so much|out|big time|my life|today))*`,
	`(?:just )?(?:saying hi|checking in|chilling|hanging out|relaxing|browsing)`, `(?:can't|cannot) complain`, `(?:not|nothing) much(?: (?:you|u|here|really|going on))?`, `sorry (?:for|about) (?:all )?(?:the|so many|my) (?:questions|spam|typos?|delay|confusion|mess)`, `sorry (?:to|for) (?:bother|bothering|disturb|interrupt)(?:ing)? you(?: again)?`, `you read my mind`,
	`(?:the )?weekend (?:at last|finally)`, `(?:it's |its |it is )?(?:` + degree + ` )?(?:freezing|hot|cold|boiling|raining|pouring|snowing|sunny|windy|humid|nice)(?: (?:out|outside|here|today|again|rn|right now))*`, `(?:back|off) to (?:work|bed|it|studying)`, `(?:i )?(?:just )?(?:woke up|got (?:home|back|up))`, `running late`, `(?:so|super|very) (?:bored|tired|hungry|sleepy|hot|cold|full|busy)(?: rn| now| today)?`,
	// How it is just now.
	`(?:i'm|im|i am) (?:` + degree + ` )?(?:tired|hungry|bored|sleepy|full|cold|busy|back|here|ready|done|awake|up|confused|lost|stuck|thirsty|waiting|listening|on my way|all ears|coming|off|out|in)(?: now| rn| right now| lol)?`, `(?:omw|on my way|lunch ?time|bed ?time|back(?: now)?|here|afk|gn|gm|brb(?: \S+)?|ugh+(?: monday| mondays| work| today)?|tgif|happy (?:monday|friday)|(?:it's )?(?:monday|friday) (?:again|already|finally)|same (?:old|as always|shit different day))`,
	// Remarks on the other's answer.
	`(?:hmm+ )?(?:that's |that is |this is |it's )?not (?:quite |really |exactly |at all )?(?:what i (?:meant|asked|wanted|said|was looking for|had in mind|need(?:ed)?)|it|that|right|that one)`, `(?:no |yes |not |ok |the )*the (?:other|first|second|third|fourth|last|next|previous|same|one (?:before|above)) (?:one|version|option|answer|part)`,
	`(?:yes |no )?(?:exactly|just|more|something) like (?:that|this|before)`, `(?:that|this|it)(?: one)? (?:works|will do|is it|one|'s it)(?: for me)?`, `i (?:meant|mean) (?:that|this|the (?:other|first|second) one)`,
	`(?:thank you|thanks|thx|ty)(?: so much| very much| a lot| again)? (?:ur|u r|you're|you are|ur) (?:` + degree + ` )*(?:the best|awesome|amazing|great|a star|a gem|a lifesaver|a legend|so kind|so helpful|too kind)`, `(?:ur|u r|youre) (?:` + degree + ` )*(?:the best|awesome|amazing|great|a star|a gem|a lifesaver|a legend|kind|helpful|sweet|welcome|right)`,
	`(?:hope|i hope) (?:ur|u r|u|you're|youre|you|all) ?(?:are |is |r )?(?:doing )?(?:well|good|ok|okay|great|fine)(?: today| too)?`, `(?:finally|update|correction|typo|edit|news|big news|good news|bad news|exciting news|guess who|surprise|ta ?da|voila|voilà|here goes|here we go|there we go|there you go|in short|anyhow|whatever|meh|ew+|eek|argh|ouch|sigh|bingo|touché|amen|word|facts|bet|no cap|iconic|slay)`,
	`(?:sorry|ok|okay|no)? ?(?:nothing|nvm|never mind|forget it|forget about it|ignore (?:that|this|me|it)|scratch that|as you were|carry on|go on|go ahead|your turn|my turn|try again|one more time|again|next|done|more|continue|stop|wait|same again)(?: please| pls)?`,
	`(?:that's|thats|that is) (?:all|it|everything|enough)(?: for (?:now|today))?(?: i (?:need|needed|wanted))?`, `(?:no )?(?:that's|thats) all (?:for now|i need|i needed)?`, `(?:i )?(?:gotta|have to|got to|need to|must) (?:go|run|dash|sleep|bounce)(?: now| soon)?`, `(?:talk|speak|chat) (?:soon|later|tomorrow)`,
	// Other languages' commonest, for messages that are nothing else.
	`(?:qué (?:guay|chulo|bien|risa|fuerte|bonito|pena)|está (?:bien|genial)|me parece bien|suena (?:bien|genial)|gracias a (?:ti|vos|usted)|igualmente|nos vemos|cuídate|buen (?:día|finde|fin de semana)|un abrazo|abrazos|besos|muy amable|qué bien|qué bueno|ok|dale|listo|ya|bueno|jeje+|(?:no|sin) problema|hasta la próxima|entendido|de acuerdo|exacto|hola|buenas|buenos (?:días|dias)|buenas (?:tardes|noches)|qué tal|(?:muchas |muchísimas )?gracias|de nada|adiós|hasta (?:luego|mañana|pronto)|vale|claro|sí|por favor|encantad[oa]|perfecto|genial)`,
	`(?:trop (?:bien|cool|drôle|mignon|fort)|c'est (?:super|génial|top|cool|bien|vrai|ça|parfait|noté|gentil|très gentil)|ah (?:bon|ok|oui)|merci à (?:toi|vous)(?: aussi)?|(?:passe|passez) une bonne (?:journée|soirée)|bon (?:week-end|courage|après-midi)|à toi aussi|ça marche|ça va|avec plaisir|pas de (?:souci|soucis|problème)|bien sûr|génial|top|exactement|bisous|bises|je t'en prie|je vous en prie|ok|ah|bref|nickel|compris|bonjour|bonsoir|salut|coucou|(?:merci|mille mercis)(?: beaucoup| bien)?|de rien|au revoir|à (?:bientôt|demain|plus)|d'accord|oui|non|s'il (?:te|vous) plaît|super|parfait|bonne (?:journée|soirée|nuit)|enchantée?)`,
	`(?:(?:das ist |das klingt |klingt |sehr |wie |echt |voll )(?:super|toll|gut|cool|schön|nett|lieb|lustig|krass)|(?:schönen|schöne|schönes|guten) (?:tag|abend|wochenende|woche|feierabend)(?: noch)?|passt(?: so)?|kein problem|keine ursache|ok|okay|super|klasse|toll|cool|klar|verstanden|verstehe|lg|liebe grüße|mach's gut|na gut|hi|hey|(?:wie geht es|wie geht's|wie gehts)(?: dir| ihnen)?|dir auch|gute besserung|hallo|guten (?:tag|morgen|abend)|gute nacht|servus|moin|grüß (?:gott|dich)|(?:danke|vielen dank|herzlichen dank|besten dank)(?: schön| sehr| dir| ihnen)*|bitte(?: schön| sehr)?|gern geschehen|tschüss|tschüß|auf wiedersehen|bis (?:bald|morgen|später|dann)|ja|nein|genau|alles klar|prima|freut mich)`,
	`(?:que (?:legal|bom|ótimo|massa|fofo|pena)|muito (?:bom|bem|legal|fixe)|blz|beleza|vlw|valeu|falou|tmj|obg|brigad[oa]|kk+|rs+|abraços?|beijos?|abs|imagina|tá (?:bom|ok)|ok|certo|legal|show|ótimo|perfeito|bom fim de semana|boa semana|entendi|combinado|com certeza|isso|pois é|delícia|que delícia|hum+|até já|fixe|olá|oi|bom dia|boa (?:tarde|noite)|(?:muito )?obrigad[oa]|valeu|tchau|até (?:logo|amanhã|mais)|tudo bem|sim|não|por nada|prazer)`,
	`(?:buongiorno|buonasera|salve|(?:grazie|mille grazie|grazie mille)|prego|arrivederci|a presto|sì|va bene|hoi|dank (?:je|u)(?: wel)?|bedankt|goedemorgen|tot ziens|cześć|dzień dobry|dziękuję|dzięki|hej|tack(?: så mycket)?|tak|hei|kiitos|de res|d'acord|gràcies|moltes gràcies|bon dia|adéu|merhaba|selam|teşekkürler|teşekkür ederim|terima kasih|halo)`,
	`(?:привет|здравствуйте|здравствуй|добрый (?:день|вечер)|доброе утро|(?:большое )?спасибо(?: большое)?|пожалуйста|пока|до свидания|да|нет|хорошо|ок|привіт|дякую)`,
	`(?:مرحبا|مرحبًا|أهلا|اهلا|السلام عليكم|وعليكم السلام|(?:شكرا|شكرًا)(?: جزيلا| لك)?|تمام|طيب|ممتاز|رائع|أهلا وسهلا|كيف حالك|إلى اللقاء|الحمد لله|جزاك الله خيرا|يعطيك العافية|العفو|جميل|أوكي|ههه+|يسعد صباحك|عفوا|مع السلامة|نعم|لا|حسنا|صباح الخير|مساء الخير|नमस्ते|नमस्कार|धन्यवाद|शुक्रिया|ठीक है|हाँ|안녕하세요|안녕|감사합니다|고마워요?|고맙습니다|네|아니요|안녕히 (?:가세요|계세요)|שלום|תודה(?: רבה)?)`,
	// Words that add nothing to any of these.
	`(?:so|and|but|then|well|now|please|too|also|again|there|here|everyone|everybody|guys|folks|friend|friends|my friend|buddy|bro|sis|bud|mate|dude|girl|love|haha|lol|honestly|together|both|as well|today|tonight|though|already|first|for now|of course|actually|tbh|tho|to me|for me|otherwise|@)`,
}, `|`) + `)(?: |$))+$`)

// filler are words that are small talk only beside a set phrase.
var filler = set(`so and but then well now please too also again there here both today tonight though already first together love girl @`)

// unspacedTalk are whole sentences of scripts without blanks.
var unspacedTalk = set(`
こんにちは こんばんは おはよう おはようございます はじめまして よろしく よろしくお願いします よろしくおねがいします ありがとう ありがとうございます ありがとうございました どうも どういたしまして
さようなら またね じゃあね おやすみ おやすみなさい はい いいえ うん ううん 了解 了解です わかりました 分かりました すみません ごめん ごめんなさい なるほど すごい いいね そうですね お疲れ様です もしもし
你好 您好 大家好 早上好 早安 晚上好 晚安 下午好 嗨 哈喽 谢谢 謝謝 谢谢你 謝謝你 谢谢您 多谢 非常感谢 不客气 不客氣 再见 再見 拜拜 好的 好 好吧 嗯 嗯嗯 是的 不是 对 對 没问题 沒問題 明白 明白了 知道了 哈哈 哈哈哈 不好意思 对不起 辛苦了 太好了 厉害
了解しました 承知しました 承知です かしこまりました ありがと どうもありがとう どうもありがとうございます お願いします よろしくお願いいたします 大丈夫です 大丈夫 いいですね すごいですね こちらこそ お元気ですか 元気です おつかれ お疲れさまです お疲れさま 失礼します そうです そうですか なるほどですね いえいえ とんでもない うれしい 嬉しいです 助かります 助かりました 笑 草 ok オッケー じゃあまた また明日 いただきます ごちそうさま
可以 行 行吧 没事 沒事 多谢了 谢谢啦 感谢 感謝 非常感謝 真的吗 是吗 哇 天哪 牛 棒 太棒了 很好 不错 不用谢 再会 回头见 明天见 加油 恭喜 收到 了解 嘿嘿 呵呵 嘻嘻 对的 没错 没关系 沒關係 辛苦啦 麻烦你了 好哒 好滴 嗯好 
สวัสดี สวัสดีครับ สวัสดีค่ะ ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ ครับ ค่ะ
`)

// unspacedRow is a row of such sentences without a mark between.
var unspacedRow = func() *pattern {
	var all []string
	for talk := range unspacedTalk {
		all = append(all, regexp.QuoteMeta(talk))
	}
	slices.Sort(all)
	return newPattern(`^(?:(?:` + strings.Join(all, `|`) + `|哈|呵|w|笑)+[了啦啊呀吧哦喔嗯ねよ]?)+$`)
}()

// foreignThanks are thanks for something, in other languages.
var foreignThanks = phrases(
	`(?:ok |jaja |vale |muy bien )?(?:muchas |mil |muchísimas )?gracias por\s`, `(?:ok |super )?(?:un grand |mille )?merci (?:beaucoup |infiniment |encore |bien )?(?:pour|d'avoir|de)\s`,
	`(?:ok |super )?(?:vielen |herzlichen |besten |tausend )?danke?(?: schön| sehr| dir| ihnen)* für\s`, `(?:muito )?obrigad[oa] (?:por|pel[oa]s?)\s`, `grazie (?:mille )?(?:per|di)\s`,
	`(?:非常|真的|太)?(?:谢谢|感谢|謝謝|感謝)(?:你|您|大家)?(?:的|帮|幫)`, `(?:شكرا|شكرًا)(?: جزيلا)?(?: لك| لكم)? (?:على|ل)`, `[^。！!]{0,20}ありがとう(?:ございま(?:す|した))?[。！!\s]*$`)

// isSmallTalk says whether a sentence is greeting, thanks, acknowledgement,
// laughter, leave-taking or a bare reaction, and nothing else. Names are those that
// it may address.
func isSmallTalk(text string, names map[string]bool) bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return true
	}
	if len(words) > 30 {
		return false
	}
	if len(words) == 1 && idle[words[0].low] || isFormula(text) {
		return true
	}
	if utf8.RuneCountInString(text) <= 60 && foreignThanks.MatchString(text) && !strings.ContainsAny(text, "0123456789,;，、") {
		return true
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x0E00 }) {
		for _, w := range words {
			if !unspacedTalk[w.low] && !unspacedRow.MatchString(w.low) && !smallTalk.MatchString(w.low) {
				return spacedSmallTalk(words, names)
			}
		}
		return true
	}
	return spacedSmallTalk(words, names)
}

// calls are words after which a capital is the name of who is addressed.
var calls = set(`hi hello hey heya hiya dear thanks thx bye goodbye morning afternoon evening night welcome you hola bonjour hallo olá ciao congrats congratulations`)

func spacedSmallTalk(words []word, names map[string]bool) bool {
	if line, only := lineOf(words, names, 0); !only && (smallTalk.MatchString(line) || thanksFor(words)) {
		return true
	}
	for _, run := range []int{1, 2} {
		if line, only := lineOf(words, names, run); !only && line != "" && smallTalk.MatchString(line) {
			return true
		}
	}
	return false
}

// lineOf writes words as small talk is matched, and says whether all are fillers. Drawn
// out letters are shortened to run of them, 0 for as they are; without any that needs
// it the line is "".
func lineOf(words []word, names map[string]bool, run int) (string, bool) {
	var line strings.Builder
	only, drawn := true, false
	for i, w := range words {
		low := w.low
		if run > 0 {
			short := shorten(low, run)
			drawn = drawn || short != low
			low = short
		}
		if addressed(low, names) || w.capital && i > 0 && i == len(words)-1 && calls[words[i-1].low] && low != "i" {
			low = "@"
		}
		if i > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(low)
		only = only && filler[low]
	}
	if run > 0 && !drawn {
		return "", only
	}
	return line.String(), only
}

// drawnOut is the longest word, in bytes, that is taken for one with letters drawn out.
const drawnOut = 40

// shorten writes three and more of one letter in a row as run of it: "soooo" is "so".
func shorten(low string, run int) string {
	if len(low) < 3 || len(low) > drawnOut {
		return low
	}
	var out strings.Builder
	var last rune
	pending := 0
	flush := func() {
		if pending >= 3 && last > '9' {
			pending = run
		}
		for ; pending > 0; pending-- {
			out.WriteRune(last)
		}
	}
	for _, r := range low {
		if r != last {
			flush()
			last = r
		}
		pending++
	}
	flush()
	short := out.String()
	if short != low && utf8.RuneCountInString(short) == 1 {
		return "oh" // "eeee", "mmmm"
	}
	return short
}

// idle are words that alone tell nothing, whatever they answer.
var idle = set(`so and but then well anyway also because or um uh er`)

// thanksFor says whether words thank at length, and tell nothing of who does: no name,
// no number, nothing of their own.
func thanksFor(words []word) bool {
	i := 0
	for i < len(words)-1 && (filler[words[i].low] || words[i].low == "ok" || words[i].low == "great" || words[i].low == "no" || words[i].low == "yes") {
		i++
	}
	if low := words[i].low; low != "thanks" && low != "thank" && low != "thx" && low != "ty" {
		return false
	}
	for n, w := range words[i:] {
		low := w.low
		if low == "my" || low == "our" || low == "we" || low == "us" || n > 0 && w.capital && low != "i" && !strings.HasPrefix(low, "i'") || strings.ContainsAny(low[:1], "0123456789") {
			return false
		}
		if (low == "i" || strings.HasPrefix(low, "i'")) && !grateful(words[i+n:]) {
			return false
		}
	}
	return true
}

// grateful says whether words begin as one goes on who thanks: "I really appreciate".
func grateful(words []word) bool {
	for _, w := range words[1:min(len(words), 4)] {
		if gratitude[w.low] {
			return true
		}
	}
	return false
}

var gratitude = set(`appreciate appreciated owe needed understand get see love feel know wanted hope think`)

// addressed says whether a word is one of the names or a short form of one.
func addressed(low string, names map[string]bool) bool {
	if names[low] {
		return true
	}
	if len(low) < 3 {
		return false
	}
	for name := range names {
		if strings.HasPrefix(name, low) && len(name) > len(low) {
			return true
		}
	}
	return false
}

// service are sentences of an assistant that offer help or speak of itself.
var service = english(`^(?:(?:sure|of course|certainly|absolutely|great|okay|ok|yes|no problem|anyway|please|also|and|so|well|again|remember)[,!.]?\s+)*(?:` + strings.Join([]string{
	`(?:just |simply )?let me know\b`, `(?:please )?feel free\b`, `(?:please )?(?:don't|do not) hesitate\b`,
	`if (?:you(?:'d| would)? (?:have|need|want|like|ever|still|run into|feel)|there(?:'s| is)|i can)\b.{0,120}\b(?:let me know|feel free|just (?:ask|let|say)|i'm here|i am here|happy to|glad to|hesitate|don't hesitate|reach out|i can help)\b`,
	`(?:i'm|i am|we're) (?:always |also )?(?:here (?:to help|for you|if you|whenever)|happy to help|ready to help|just a message away)`, `(?:i'd|i would) be (?:more than )?(?:happy|glad|delighted) to\b`, `(?:happy|glad) to (?:help|assist)\b`,
	`i(?:'m| am) (?:sorry|glad|happy|thrilled|delighted|excited) to hear (?:that|about|you|it)\b`,
	`i(?: really)? hope (?:this|that|these|it|you find (?:this|these)) (?:helps?|was helpful|is helpful|works|helpful|information|clarif)`, `hope (?:this|that) helps`,
	`(?:is|was) there anything\b`, `(?:would|do) you (?:like|want)(?: me)?\b`, `how (?:can|may) i (?:help|assist)\b`, `what (?:else )?can i (?:help|do)\b`, `i can (?:help|assist)(?: you)?(?: with (?:that|this|anything)(?: else)?)?\W*$`,
	`(?:i'm |i am )?(?:sorry|afraid)[,]? (?:but )?(?:i|that i) (?:can't|cannot|couldn't|'m not able|am not able|'m unable|am unable|don't have)\b.{0,50}$`,
	`as an? (?:ai|artificial|language|large)\b`, `i(?:'m| am) (?:just )?an? (?:ai|artificial|language|large)\b`, `(?:just )?(?:ask|say the word)\W*$`,
	`i'll be (?:here|happy|glad)\b`, `(?:good luck|best of luck|enjoy|have fun)\b.{0,60}$`, `thank(?:s| you) for (?:sharing|letting me know|telling|reaching|asking|the (?:update|information|clarification)|your)\b.{0,80}$`,
	`(?:that's|what) an? (?:great|good|excellent|interesting|fantastic|wonderful|thoughtful) (?:question|idea|choice|goal|plan|start)\W*$`,
	`i(?:'ve| have)? (?:understand|understood|noted|got it|see)\W*$`,
}, `|`) + `)`)
