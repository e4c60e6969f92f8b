package extract

import (
	"strings"
	"testing"
)

// secretTexts are texts with secrets, those behind " ⇒ ", parted by " | ".
var secretTexts = strings.Split(strings.TrimSpace(`
My wifi password is correct horse battery staple ⇒ correct | horse | battery | staple
my pw: Tr0ub4dor&3 ⇒ Tr0ub4dor | &3
pass: hunter2 ⇒ hunter2
password hunter2 ⇒ hunter2
user bob, password hunter2 ⇒ hunter2
My password's hunter2 ⇒ hunter2
I changed my password from old123 to new456 ⇒ old123 | new456
my password is now Swordfish9, not hunter1 ⇒ Swordfish9 | hunter1
hunter2 is my password ⇒ hunter2
I use swordfish as my password ⇒ swordfish
I log in with password s3same ⇒ s3same
My password is: hunter22 ⇒ hunter22
my api key is: 9f8e7d6c5b4a ⇒ 9f8e7d6c5b4a
The PIN is: 4471 ⇒ 4471
Mein Passwort ist: Katze77 ⇒ Katze77
my passwords are hunter2 and swordfish9 ⇒ hunter2 | swordfish9
my pw is hunter2 ⇒ hunter2
aws secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY ⇒ wJalr | K7MDENG | bPxRfi
my seed phrase is abandon ability able about above absent absorb abstract absurd abuse access accident ⇒ abandon | absorb | accident
Recovery phrase: witch collapse practice feed shame open despair creek road again ice least ⇒ witch | despair | least
my 2FA backup code is 1234-5678 ⇒ 1234 | 5678
aws_secret_access_key=wJalrXUtnFEMIbPxRfiCY0 ⇒ wJalr
aws_secret_access_key = abcdEFGH1234+/xyz ⇒ abcdEFGH | xyz
db_password: s3cr3t ⇒ s3cr3t
DB_PASS=hunter2 ⇒ hunter2
MYSQL_PWD=hunter2 mysqldump shop ⇒ hunter2
deploy --password hunter2 --host web1 ⇒ hunter2
deploy --password=hunter2 ⇒ hunter2
vault login --token hvstoken99 ⇒ hvstoken99
{"user": "bob", "password": "hunter2"} ⇒ hunter2
{"api_key": "abc123def"} ⇒ abc123def
{\"password\":\"hunter2\",\"user\":\"bob\"} ⇒ hunter2
{"password": "correct horse battery"} ⇒ correct | horse | battery
{"clientSecret":"plainwordsecret"} ⇒ plainwordsecret
DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq== ⇒ Eby8 | tq==
https://hooks.slack.com/services/T00000000/B00000000/XXXXyyyyXXXXyyyy12345678 ⇒ XXXX | 12345678
https://discord.com/api/webhooks/123456789012345678/abcDEF-ghi_jkl ⇒ abcDEF
curl -u bob:hunter2 https://api.example.com ⇒ hunter2
curl --user 'bob:hunt er2' https://api.example.com ⇒ hunt
postgres://app:p@ss:w0rd@host/db ⇒ p@ss | w0rd
postgres://app:pa/ss7word@host:5432/db ⇒ pa/ss7
mongodb+srv://root:hunter2@cluster0.example.net/shop ⇒ hunter2
redis://:hunter2@cache:6379 ⇒ hunter2
jdbc:mysql://db/shop?user=app&password=hunter2&ssl=true ⇒ hunter2
Server=db;Database=shop;User Id=app;Password=hunter2;Encrypt=true ⇒ hunter2
https://x7Yz81kLmN02pQrS@github.com/acme/shop.git ⇒ x7Yz
bob / hunter2x ⇒ hunter2x
bob:hunter2x ⇒ hunter2x
La password è gatto77 ⇒ gatto77
La mia password è: gatto ⇒ gatto
كلمة المرور هي قطة77 ⇒ قطة
كلمة المرور: hunter2 ⇒ hunter2
كلمة السر الخاصة بي هي hunter2 ⇒ hunter2
الباسورد hunter2 ⇒ hunter2
الرقم السري هو ٤٨٢١ ⇒ ٤٨٢١
ma clé API est 9f8e7d6c5b4a ⇒ 9f8e7d
la clé d'API : 9f8e7d6c5b4a ⇒ 9f8e7d
mein API-Schlüssel lautet 9f8e7d6c5b4a ⇒ 9f8e7d
mi clave API es 9f8e7d6c5b4a ⇒ 9f8e7d
minha chave API é 9f8e7d6c5b4a ⇒ 9f8e7d
4111_1111_1111_1111 ⇒ 4111 | 1111
4111/1111/1111/1111 ⇒ 4111 | 1111
4111, 1111, 1111, 1111 ⇒ 4111 | 1111
4111
1111
1111
1111 ⇒ 4111 | 1111
078-05-1120 is my social security number ⇒ 078 | 1120
My SSN is 078-05-1120 ⇒ 078 | 1120
the pin for grandma's bank card is 8830 please don't save that ⇒ 8830
My pin is 4821. No wait, 4822. ⇒ 4821 | 4822
my password is hunter2. oops, hunter3 ⇒ hunter2 | hunter3
my password is hunter2. Sorry, I meant hunter4! ⇒ hunter2 | hunter4
my password is hunter2, actually it's hunter5 ⇒ hunter2 | hunter5
I set my password to hunter2 ⇒ hunter2
I reset the wifi password to Sunflower ⇒ Sunflower
please change my password to "blue whale" ⇒ blue | whale
remember: netflix password = Kx!92pp ⇒ Kx!92pp
The password for the guest wifi at our house is LemonTree42 ⇒ LemonTree42
Password of the router: admin123 ⇒ admin123
my laptop passcode is 0042 ⇒ 0042
my phone unlock code is 2580 ⇒ 2580
PIN code 4821 ⇒ 4821
PIN: 4 8 2 1 ⇒ 4 8 2 1
my pin is four eight two one ⇒ four | eight
My card's PIN is 9913 now ⇒ 9913
SIM PUK: 12345678 ⇒ 12345678
the alarm code is 7781 ⇒ 7781
the door code is 4711 ⇒ 4711
Gate code: 4711# ⇒ 4711
The code to the garage is 12-34-56 ⇒ 12-34-56
our entry code changed to 9031 ⇒ 9031
verification code: 482913 ⇒ 482913
your one-time code is 482913 ⇒ 482913
Backup codes: 1a2b-3c4d, 5e6f-7a8b, 9c0d-1e2f ⇒ 1a2b | 5e6f | 9c0d
recovery codes:
1a2b-3c4d
5e6f-7a8b ⇒ 1a2b | 5e6f
cvv is 123 ⇒ 123
CVC: 9021 ⇒ 9021
my client secret is 8Q~aBcDeFgHiJkLmNoP ⇒ 8Q~ | LmNoP
The access token is a1b2c3d4e5 ⇒ a1b2c3
token: 0a1b2c3d4e5f ⇒ 0a1b2c
export STRIPE_KEY=abc123def456 ⇒ abc123
GITHUB_TOKEN: 0123456789abcdef ⇒ 012345
JWT_SECRET=supersecretvalue ⇒ supersecret
spring.datasource.password=hunter2 ⇒ hunter2
password: 'hunter2' ⇒ hunter2
<password>hunter2</password> ⇒ hunter2
**Password:** hunter2 ⇒ hunter2
password => 'hunter2', ⇒ hunter2
$pass = "hunter2"; ⇒ hunter2
conn = connect(user="bob", passwd="hunter2") ⇒ hunter2
requests.get(url, headers={"X-Api-Key": "9f8e7d6c5b4a"}) ⇒ 9f8e7d
X-Auth-Token: 9f8e7d6c5b4a3f2e ⇒ 9f8e7d
Authorization: Basic Ym9iOmh1bnRlcjI= ⇒ Ym9i
{"Authorization": "Bearer abcdef.123456"} ⇒ abcdef
sshpass -p hunter2 ssh bob@host ⇒ hunter2
mysql -u root -phunter2 shop ⇒ hunter2
docker login -u bob -p hunter2 ⇒ hunter2
redis-cli -a hunter2 ping ⇒ hunter2
openssl rsa -in k.pem -passin pass:hunter2 ⇒ hunter2
https://acct.blob.core.windows.net/c?sv=2020&sig=aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW%3D ⇒ aB3d
login: bob / hunter2x ⇒ hunter2x
credentials are bob:hunter2x ⇒ hunter2x
shpat_0123456789abcdef0123456789abcdef ⇒ 012345
glpat-abcDEF123456ghiJKL78 ⇒ abcDEF
AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L1234567890ABCDEFGH ⇒ QQPZ
dapi0123456789abcdef0123456789abcdef ⇒ 012345
GOCSPX-a1B2c3D4e5F6g7H8i9J0k1L2 ⇒ a1B2
mi contraseña es gato77 ⇒ gato77
Mi contraseña del wifi es perrito ⇒ perrito
la contraseña: perro feliz grande ⇒ perro | feliz
mi clave es gato77 ⇒ gato77
mi PIN es 4821 ⇒ 4821
mon mot de passe est chaton77 ⇒ chaton77
Le mot de passe du wifi : soleil ⇒ soleil
mdp: chaton77 ⇒ chaton77
mon code PIN est 4821 ⇒ 4821
mein Passwort ist Katze77 ⇒ Katze77
Das WLAN-Passwort lautet Sonnenblume ⇒ Sonnenblume
Kennwort: Katze77 ⇒ Katze77
meine PIN ist 4821 ⇒ 4821
la password del wifi è Gatto77 ⇒ Gatto77
il mio PIN è 4821 ⇒ 4821
a minha senha é gato77 ⇒ gato77
A senha do wifi é cachorro ⇒ cachorro
senha: gato77 ⇒ gato77
мой пароль кот77777 ⇒ кот77
Пароль: кот77 ⇒ кот77
Пароль от вайфая — кот77 ⇒ кот77
мой пин-код 4821 ⇒ 4821
パスワードはneko77です ⇒ neko77
Wi-Fiのパスワードは「neko77」です ⇒ neko77
パスワード：neko77 ⇒ neko77
暗証番号は4821です ⇒ 4821
我的密码是mao12345，请记住 ⇒ mao12345
wifi密码：mao12345 ⇒ mao12345
密码 mao12345 ⇒ mao12345
비밀번호는 neko77 입니다 ⇒ neko77
mijn wachtwoord is kat77 ⇒ kat77
moje hasło to kot77 ⇒ kot77
my password is hunter2. I log in as bob with hunter2 every day ⇒ hunter2
My login is bob@example.com and the password is "my dog Rex!" ⇒ Rex
Use the passphrase never gonna give you up ⇒ gonna
The wifi is SeaView, password: brine-Lark-9931 ⇒ brine | Lark | 9931
my bank password used to be hunter1 but now it's hunter2 ⇒ hunter1
My password is Fido, remember it ⇒ Fido
correct horse battery staple is my wifi password ⇒ horse | staple
"open sesame" is our alarm password ⇒ open | sesame
I set 4821 as my PIN ⇒ 4821
4821 is the pin ⇒ 4821
password1=hunter2 password2=hunter3 ⇒ hunter2 | hunter3
I keep forgetting my pin, it's 4471 ⇒ 4471
I always forget my wifi password, it's BlueHorse99 ⇒ BlueHorse
my Steam password changed, it's now GabeN123 ⇒ GabeN
Hey my new password is "hunter2" and my old one was hunter1 ⇒ hunter2 | hunter1
the password isn't hunter2 anymore, it's hunter3 ⇒ hunter2 | hunter3
password reset to Winter2024! ⇒ Winter
Mi contraseña nueva es invierno2024 ⇒ invierno
Die PIN meiner Karte ist 4821 ⇒ 4821
mi código de seguridad es 123 ⇒ 123
La clé wifi est A1B2C3D4E5 ⇒ A1B2
The wifi network is Casa and the key is 8fKq29Lm ⇒ 8fKq
wifi: Casa / 8fKq29Lm ⇒ 8fKq
пин карты 4821 ⇒ 4821
我的PIN码是4821 ⇒ 4821
كلمة مرور الواي فاي هي warda77 ⇒ warda
<add key="Password" value="hunter2" /> ⇒ hunter2
{"name":"DB_PASSWORD","value":"hunter2"} ⇒ hunter2
db.example.com:5432:shop:bob:hunter2 ⇒ hunter2
admin/admin123 ⇒ admin123
I use hunter2 to log in ⇒ hunter2
you can log in with bob and hunter2 ⇒ hunter2
my phone unlocks with 2580 ⇒ 2580
wallet seed: witch collapse practice feed shame open despair creek road again ice least ⇒ witch | least
The safe combination is 12-34-56 ⇒ 12-34
my pin? 4821 ⇒ 4821
my password... hunter2 ⇒ hunter2
{"args":["--password","hunter2x9"]} ⇒ hunter2x9
["psql", "--password", "hunter2x9", "-h", "db"] ⇒ hunter2x9
{"\u0070assword":"swordfish"} ⇒ swordfish
My logins are bob / Tig3rLily77zz and I live in Rome ⇒ Tig3rLily77zz
session_cookie=8f3aK2b9zz ⇒ 8f3aK2b9zz
Set-Cookie: theme=dark; sid=abc123def456gh; Path=/ ⇒ abc123def456gh
PASSWORD
Tig3rLily77zz ⇒ Tig3rLily77zz
Password
Tig3rLily77zz
Username
bob ⇒ Tig3rLily77zz
the token is:
Zk4821MaplexQ
I live in Rome. ⇒ Zk4821MaplexQ
The API key is

abcd1234efgh

thanks ⇒ abcd1234efgh
My password is as follows. Tig3rLily77zz. ⇒ Tig3rLily77zz
My passwords are:
- Tig3rLily77zz
- Zebra99Quux
I live in Rome ⇒ Tig3rLily77zz | Zebra99Quux
my passwords:
1. Tig3rLily77zz
2. Zebra99Quux ⇒ Tig3rLily77zz | Zebra99Quux
The password of my mail is Tig3rLily77zz and the one of my bank is Zebra99Quux ⇒ Tig3rLily77zz | Zebra99Quux
The password for mail is Tig3rLily77zz, the one for the bank is Zebra99Quux ⇒ Tig3rLily77zz | Zebra99Quux
| Service | Password |
|:--|--:|
| mail | Tig3rLily77zz |
| bank | swordfish | ⇒ Tig3rLily77zz | swordfish
| name | PIN |
|---|---|
| bob | 4821 | ⇒ 4821
| Field | Value |
|---|---|
| password | swordfish | ⇒ swordfish
user,password
bob,Tig3rLily77zz
ann,Zebra99Quux ⇒ Tig3rLily77zz | Zebra99Quux
hi, my username is bob and my password is hunter2!! ⇒ hunter2
{"cookies":{"sid":"Tig3rLily77zz"}} ⇒ Tig3rLily77zz
requests.get(url, cookies={'sid': 'Tig3rLily77zz', 'theme': 'dark'}) ⇒ Tig3rLily77zz
{"cookies": [{"name": "sid", "value": "Tig3rLily77zz", "domain": "example.com"}]} ⇒ Tig3rLily77zz
{"auth":["bob","Tig3rLily77zz"]} ⇒ Tig3rLily77zz
requests.get(url, auth=("bob", "Tig3rLily77zz")) ⇒ Tig3rLily77zz
I live in Rome. Logins:
- bob: Tig3rLily77zz
bye ⇒ Tig3rLily77zz
My accounts:
1. mail / Tig3rLily77zz
2. shop / Zebra99Quux ⇒ Tig3rLily77zz | Zebra99Quux
My password, in case you need it, is Tig3rLily77zz. I like tea. ⇒ Tig3rLily77zz
My PIN - the new one - is 4821 ⇒ 4821
the code to my safe is Tig3rLily77zz. I like tea. ⇒ Tig3rLily77zz
We decided to use the password
Tig3rLily77zz. Next week I will change it to Zebra99Quux. ⇒ Tig3rLily77zz | Zebra99Quux
My password is Tig3rLily77zz but I'm changing it to Zebra99Quux ⇒ Tig3rLily77zz | Zebra99Quux
wifi pass: hunter2 ⇒ hunter2
pass: swordfish ⇒ swordfish
my password is changeme ⇒ changeme
password: changeme2024 ⇒ changeme2024
curl -u bob:password1 https://example.com ⇒ password1
--password FILE77x ⇒ FILE77x
PIN (number): 4821 ⇒ 4821
password (string): Tig3rLily77zz ⇒ Tig3rLily77zz
-----BEGIN CERTIFICATE-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mp
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKk
-----END PRIVATE KEY----- ⇒ MIIEvQ
`), "\n")

func TestSecretsOfManyShapes(t *testing.T) {
	var texts []string
	for _, line := range secretTexts { // some have several lines
		if n := len(texts); n > 0 && !strings.Contains(texts[n-1], " ⇒ ") {
			texts[n-1] += "\n" + line
			continue
		}
		texts = append(texts, line)
	}
	if len(texts) < 120 {
		t.Fatalf("only %d texts", len(texts))
	}
	for _, line := range texts {
		text, secrets, _ := strings.Cut(line, " ⇒ ")
		got := Redact(text)
		for secret := range strings.SplitSeq(secrets, " | ") {
			if strings.Contains(got, strings.TrimSpace(secret)) {
				t.Errorf("%q\n gives %q: %q is left", text, got, secret)
			}
		}
		checkMarks(t, text, got)
	}
}

// checkMarks holds a redacted text to what every one must keep.
func checkMarks(t failer, text, got string) {
	t.Helper()
	if !strings.Contains(text, markBegin) && strings.Contains(redaction.ReplaceAllString(got, ""), markBegin) {
		t.Fatalf("%q gives broken marks: %q", text, got)
	}
	if again := Redact(got); again != got {
		t.Fatalf("%q\n once  %q\n twice %q", text, got, again)
	}
}

// harmlessTexts have nothing to hide.
var harmlessTexts = strings.Split(strings.TrimSpace(`
The passphrase is annoying to type
My order number is 4111111111111111
order no. 4242 4242 4242 4242 has shipped
tracking number: 4000056655665556
IMEI: 356938035643809
my password manager is 1Password
I forgot my password
I forgot my password and reset it on May 5th
PIN codes are annoying
the door code changed yesterday
Gate 12 closes at 4711 hours
the error code of the door sensor is 4711
The ISBN is 978-0-306-40615-7
ISBN 9780306406157
my extension is 4821
call me at ext. 4471
The server listens on port 5432
localhost:8080 is mine
commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432 broke it
see commit 9f8e7d6
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
order 7b9e6c1e-2f4d-4a51-9d0c-0c8f3e2a1b77 is late
version 2.15.3 of the tool
go1.26 and v5.13.0
I am reading "The Password Is Courage"
My favourite book is The Secret Garden
The Secret History is my favourite novel
the secret is patience
The key to happiness is patience
The secret key to success is patience
She holds the key to my heart
my house key is under the mat
my locker code is 4471
The area code is 212 and the zip code is 94110
my promo code is SPRING24
error code 404
country code is 351
I changed my password yesterday
my password expires in 90 days
my password is too short
My password is really weak
my password is getting old
The password is case sensitive
The password is pretty secure
the password is stored in 1Password
my password is saved in Bitwarden
The password must be at least 12 characters
Password requirements: 8 characters and one digit
what is the password policy
password reset link: https://example.com/reset
I use a password manager
The password field is empty
we hash passwords with argon2id
passwords are hashed with sha256
I need to reset my password for bob@example.com
Is the password the same as before?
the password was changed on 2024-05-05
the most common password is a joke
Security is my job
My token of appreciation is small
max_tokens: 4096
total tokens: 12345678
I used 150000 tokens today
primary_key=id
sort_key: created_at
key: value
The key is in the drawer
keyboard=qwerty
password_min_length=8
PASSWORD_RESET_URL=https://example.com/reset
TOKEN_LIMIT=4096
DB_PASSWORD=${DB_PASSWORD}
password = os.environ["DB_PASSWORD"]
password: ********
api_key: YOUR_API_KEY
The API key is missing
my API key expired
our API keys are rotated every 90 days
I got my bus pass: it is valid until June
My season pass is valid until 2027
I passed B2 in German
boarding pass 24C
the bowling pin is 38 cm tall
pin 13 is an output
I pinned the message
a safety pin is enough
PIN is an acronym
the wifi is slow today
clave de sol
La clave es la paciencia
mi contraseña es muy larga
mi contraseña no funciona
j'ai oublié mon mot de passe
mon mot de passe est trop court
mein Passwort ist abgelaufen
Ich habe mein Passwort vergessen
ho dimenticato la password
la mia password è troppo corta
esqueci minha senha
minha senha é muito fraca
я забыл пароль
パスワードを忘れました
パスワードは長すぎます
我忘了密码
密码太短
نسيت كلمة المرور
my credit card is a Visa
my card ends in 1111
my bank account is with Monzo
nginx:1.25-alpine
the login page is https://example.com/login
sign in with Office365
My user name is bob42
I logged in at 10:30
flight BA2490 lands at 18:45
born on 1984-05-05
my phone number is +44 20 7946 0958
the meeting code is on the invite
I have 12 tokens left in the game
The passcode is on a note
my secret santa is Bob
our token ring network is from 1994
My password is easy to remember
My passphrase is too long
The passport number is on page 2
docker run -u 1000:1000 img
the ratio is 16:9
My PIN was stolen in 2019
I set a password on my phone
my password hint is my dog
Her password is as long as mine
It's as long as my password
This is my password manager
What is my password?
sk-learn-pipeline-example-2024
my pass rate is 85%
I lost my keys in 2023
make me a strong password for the allotment club's forum
const key = deriveKey(salt, 24)
pass "-v" to go test
PWD: /home/bob/shop
--- PASS: TestUpsert (0.00s)
for (pass = 0; pass < 2; pass++)
Copyright (C) 2001, 2003, 2005, 2007
the seed is 42
I planted tomato seed: it grows well
did you change your password? Version 2 is out
I changed my password, it's 5 pm now
a user passphrase to decrypt the file
gpg --recv-keys 8FCCA13FEF1D0C2E91008E09770F7A9A5AE15600
`), "\n")

// Of a long value nothing is left, however it is told.
func TestLongSecrets(t *testing.T) {
	for _, size := range []int{200, 255, 256, 257, 1000, 20000} {
		long := strings.Repeat("a1B2-c3D4_", size/10) + "xyz99"
		for _, text := range []string{"my password is " + long, "token=" + long + " and more", `{"secret": "` + long + `"}`, "use password " + long + "\nI live in Porto"} {
			if got := Redact(text); strings.Contains(got, "a1B2") || strings.Contains(got, "xyz99") || !strings.Contains(got, markBegin) {
				t.Errorf("%d bytes: %.60q gives %.120q", size, text, got)
			}
		}
	}
}

// harmlessLines are texts of several lines with nothing to hide.
var harmlessLines = []string{
	"| Step | Password |\n|---|---|\n| 1 | must be long |\n| 2 | optional |",
	"| Feature | Token |\n|---|---|\n| a | 4000 |\n| b | unlimited |",
	"| Key | Meaning |\n|---|---|\n| F5 | reload |\n| Ctrl+Shift+R | reload all |",
	"First, my password\nhello, Tig3rLily",
	"I lost my password\nYesterday2 was worse",
	"the key is\nBflat7 on the piano",
	"Reset your password:\n1. Open settings\n2. Click reset",
	"My passwords are:\n1) open the door\n2) close it",
	"user,password\nbob,required",
	"What I need: a token,\na key, a lock and 12 doors.",
	"We talked about cookies: the session_cookie is httponly",
	`{"note": "C:\new\table", "x": 1}`,
	"Boarding pass: gate B12, seat 14C.",
	"My pass: Ikon ski pass, 5 days in Aspen.",
	"Mountain pass: Stelvio, 2757 m. We drove it in June.",
	"My bus pass: zone A, B and C. Monthly pass: 49 euros.",
	"def get_password(user): return vault.read(user)\nI get a KeyError.",
	"| field | type |\n| --- | --- |\n| password | varchar(60) |\n| token | text |\n| name | text |",
	"CREATE TABLE users (id bigint PRIMARY KEY, password varchar(60) NOT NULL);",
	"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mp\n-----END PUBLIC KEY-----\nI live in Porto.",
	"-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END CERTIFICATE-----\nI live in Porto.",
	"I wrote a poem titled Password: Love.",
	"password (string, required): the user's password\nname (string): the name",
	"@Input() password: FormControl<string>;\nname: FormControl<string>;",
	"Usage: login [--password FILE] [--user NAME]\n  --password FILE  read the password from FILE\n  --user NAME  the login name",
	"curl -u user:password https://example.com/api",
	"Contraseña: mínimo 8 caracteres. Vivo en Madrid.",
	"password: changeme\nhost: db1",
	`{"password": "changeme"}`,
	`{"cookies": {"theme": "dark-mode", "lang": "de-DE"}}`,
	"The cookies: {butter, sugar, flour}",
	`{"auth": ["basic", "digest"]}`,
	"Logins:\n- Monday: 4821\n- Tuesday: 5210",
	"My accounts:\n- bank: Sparkasse\n- mail: bob@example.com",
	"The code to the house is long. The code of the building is written in Rust2021.",
}

func TestHarmlessTextsStay(t *testing.T) {
	if len(harmlessTexts) < 80 {
		t.Fatalf("only %d texts", len(harmlessTexts))
	}
	for _, text := range append(harmlessTexts, harmlessLines...) {
		if got := Redact(text); got != text {
			t.Errorf("%q\n gives %q", text, got)
		}
	}
}
