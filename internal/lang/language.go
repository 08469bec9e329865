package lang

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxTold bounds how much of a text tells its language, in bytes.
const maxTold = 4096

// Languages are those that [Language] tells, by ISO 639.
func Languages() []string {
	list := []string{"zh", "ja", "uk"}
	for _, s := range scripts {
		if !slices.Contains(list, s.language) {
			list = append(list, s.language)
		}
	}
	for _, l := range latinLanguages {
		list = append(list, l.code)
	}
	slices.Sort(list)
	return list
}

// Language is the language of a text, one of [Languages], as its letters and its
// commonest words tell. Empty where they do not tell: a name, a number, a language
// that is not among these. A text in two languages is of the one with more words;
// English, where it has as many. It reads the first 4 KB.
func Language(text string) string {
	if len(text) > maxTold {
		text = text[:maxTold]
	}
	var latin, han, kana int
	var others [len(scripts)]int
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			if IsLetter(byte(r)) {
				latin++
			}
		case unicode.Is(unicode.Han, r):
			han++
		case r >= 0x3040 && r <= 0x30ff: // hiragana and katakana
			kana++
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			for i := range scripts {
				if r >= scripts[i].from && r <= scripts[i].to {
					others[i]++
					break
				}
			}
		}
	}
	const wordsOfHan = 4 // a character says as much as so many letters
	best, most := "", max(latin, 1)
	if n := wordsOfHan * (han + kana); n >= most {
		best, most = "zh", n
		if kana*8 >= han { // names in Chinese texts have a kana now and then
			best = "ja"
		}
	}
	for i, n := range others {
		if n >= most {
			best, most = scripts[i].language, n
		}
	}
	switch {
	case best == "ru" && strings.ContainsAny(text, "іїєґІЇЄҐ"):
		return "uk"
	case best == "":
		return latinLanguage(text)
	}
	return best
}

// scripts are those that one language, or the commonest of them, is written in.
var scripts = [...]struct {
	from, to rune
	language string
}{
	{0xac00, 0xd7a3, "ko"}, {0x1100, 0x11ff, "ko"}, {0x0400, 0x04ff, "ru"}, {0x0370, 0x03ff, "el"}, {0x0600, 0x06ff, "ar"},
	{0x0590, 0x05ff, "he"}, {0x0e00, 0x0e7f, "th"}, {0x0900, 0x097f, "hi"},
}

// latinLanguage counts the words and letters that a language has.
func latinLanguage(text string) string {
	t := latinWords()
	var score [len(latinLanguages)]int
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for of := t.words[word]; of != 0; of &= of - 1 {
			score[firstBit(of)] += 2
		}
		for _, r := range word {
			if r >= utf8.RuneSelf {
				for of := t.letters[r]; of != 0; of &= of - 1 {
					score[firstBit(of)]++
				}
			}
		}
	}
	best := 0
	for i, n := range score {
		if n > score[best] {
			best = i
		}
	}
	if score[best] < 2 {
		return ""
	}
	return latinLanguages[best].code
}

func firstBit(n uint16) int {
	i := 0
	for n&1 == 0 {
		n, i = n>>1, i+1
	}
	return i
}

type latinTable struct {
	words   map[string]uint16 // languages that have a word, by bit
	letters map[rune]uint16
}

var latinWords = sync.OnceValue(func() latinTable {
	t := latinTable{words: map[string]uint16{}, letters: map[rune]uint16{}}
	for i, l := range latinLanguages {
		for word := range strings.FieldsSeq(l.words) {
			t.words[word] |= 1 << i
		}
		for _, r := range l.letters {
			t.letters[r] |= 1 << i
		}
	}
	for word := range StopWords {
		t.words[word] |= 1
	}
	return t
})

// latinLanguages are what the commonest words of a language are, and what people
// say to agents in it. English comes first: it wins where as many words are.
var latinLanguages = [...]struct{ code, words, letters string }{
	{"en", "i'm me him them am please thanks thank hello hi ok okay yes get give show tell find search make create add send delete remove cancel book order buy change update let's do don't want need like help", ""},
	{"de", "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ist sind war waren hat haben habe wird werden wurde kann können konnte soll ich du er sie es wir ihr mir mich dir dich uns mein meine meinen dein ihre für mit von zu zum zur auf aus bei nach über unter im am wie was wann wo wer warum welche wieviel bitte danke hallo ja nein noch schon auch nur dass wenn morgen heute lösche löschen schick schicke sende storniere kündige buche bestelle zeig zeige suche finde erstelle ändere gib mach hilf", "äöüß"},
	{"fr", "a le la les un une des du de et ou mais ne pas est sont était ont j'ai je tu il elle nous vous ils mon ma mes votre vos notre pour avec sans dans sur sous chez au aux que qui quoi quand où comment pourquoi combien quel quelle quels quelles s'il vous plaît merci bonjour oui plus encore aussi cette ce ces demain supprime supprimer supprimez envoie envoyer envoyez annule annuler annulez réserve réserver commande montre donne cherche trouve l d j n qu c", "éèêëàâçîïôûùœ"},
	{"es", "a el la los las un una unos de del y o pero no es son está están era fue han ha he yo tú él ella nosotros mi mis tu tus su sus para por con sin en sobre al que quién qué cuándo cuánto cuántos cuántas cuál dónde cómo por favor gracias hola sí más también este esta ese esa lo me te se mañana hoy borra elimina eliminar envía manda enviar cancela cancelar reserva reservar compra muestra dame busca crea quiero puedes necesito quedan hay", "áéíóúñ¿¡"},
	{"pt", "o a os as um uma de do da dos das e ou mas não é são está estão era foi eu ele ela nós meu minha meus minhas seu sua para por com sem em no na nos nas ao que quem quando quanto quantos qual onde como por favor obrigado obrigada olá sim mais também este esta esse essa isso me te se amanhã hoje apaga apague exclua envia envie cancela cancele reserva reserve compra mostra mostre quero pode preciso você", "áéíóúãõâêôç"},
	{"it", "a il lo la i gli le un uno una di del della dei delle e o ma non è sono era ha hanno ho io tu lui lei noi mio mia miei tuo suo per con senza in nel nella su sul al alla da dal che chi quando quanto quanti quale dove come perché per favore sono siamo posso può potuto l d un dell nell all grazie ciao sì più anche questo questa mi ti si domani oggi cancella elimina invia manda annulla prenota ordina mostra dammi cerca trova voglio puoi vorrei", "àèéìòù"},
	{"nl", "de het een en of maar niet geen is zijn was waren heeft hebben heb ik jij je hij zij wij we mijn jouw uw ons voor met van naar op uit bij over onder in te tot dat die deze dit wat wie wanneer waar hoe waarom welke hoeveel alstublieft alsjeblieft bedankt hallo ja nee nog ook morgen vandaag verwijder stuur annuleer boek bestel toon zoek maak kan kunt wil", "ëï"},
	{"pl", "a i w z na do od za po przez dla o nie jest są był była było ma mam mieć ja ty on ona my wy mój moja moje twój jego jej to ten ta te co kto kiedy gdzie jak dlaczego ile który która proszę dziękuję cześć tak już też tylko jutro dziś dzisiaj usuń wyślij anuluj zarezerwuj zamów pokaż znajdź chcę możesz się", "ąćęłńóśźż"},
	{"sv", "och eller men inte är var har hade jag du han hon vi ni min mitt mina din en ett den det de som för med av till från på i om när var vad vem hur varför vilken snälla tack hej ja nej också bara imorgon idag ta bort skicka avboka boka beställ visa hitta kan vill", "åäö"},
	{"da", "og eller men ikke er var har havde jeg du han hun vi min mit mine din en et den det de som for med af til fra på i om når hvad hvem hvor hvordan hvorfor hvilken venligst tak hej ja nej også kun morgen dag slet send afbestil book bestil vis find kan vil", "åæø"},
	{"tr", "ve veya ama değil bir bu şu o ben sen biz siz benim senin için ile gibi kadar ne kim nasıl neden nerede kaç hangi lütfen teşekkürler merhaba evet hayır de da mi mı mu mü var yok yarın bugün sil gönder iptal et göster bul istiyorum", "çğıöşü"},
}
