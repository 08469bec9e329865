package suite

import "math/rand/v2"

// pair is one text in both languages.
type pair struct{ en, zh string }

func (p pair) in(lang string) string {
	if lang == "zh" {
		return p.zh
	}
	return p.en
}

// Invented names are made of a head and a tail. No place, firm or product that
// we know of bears them.
var (
	heads = []pair{
		{"Vel", "维"}, {"Tor", "托"}, {"Kas", "卡斯"}, {"Mer", "梅尔"}, {"Bran", "布兰"}, {"Hol", "霍尔"},
		{"Ost", "奥斯特"}, {"Lin", "林"}, {"Dar", "达"}, {"Cal", "卡尔"}, {"Fen", "芬"}, {"Gar", "加"},
		{"Ister", "伊斯特"}, {"Jol", "约尔"}, {"Nor", "诺尔"}, {"Pel", "佩尔"}, {"Quin", "奎因"}, {"Ros", "罗斯"},
		{"Sel", "塞尔"}, {"Tam", "塔姆"}, {"Ul", "乌尔"}, {"Wex", "韦克斯"}, {"Yar", "亚尔"}, {"Zan", "赞"},
	}
	tails = []pair{
		{"mora", "莫拉"}, {"wick", "威克"}, {"stead", "斯特德"}, {"by", "比"}, {"ford", "福德"}, {"ania", "阿尼亚"},
		{"holm", "霍姆"}, {"dale", "代尔"}, {"ric", "里克"}, {"neth", "内斯"}, {"ova", "奥瓦"}, {"mund", "蒙德"},
		{"ley", "利"}, {"burn", "伯恩"}, {"quay", "奎"}, {"sund", "松德"}, {"dor", "多尔"}, {"vane", "文"},
		{"field", "菲尔德"}, {"mark", "马克"}, {"crest", "克雷斯特"}, {"gate", "盖特"}, {"lund", "伦德"}, {"haven", "黑文"},
	}
	given = []pair{
		{"Ada", "艾达"}, {"Bruno", "布鲁诺"}, {"Clara", "克拉拉"}, {"Dmitri", "德米特里"}, {"Edda", "埃达"}, {"Farid", "法里德"},
		{"Greta", "格蕾塔"}, {"Hugo", "雨果"}, {"Ines", "伊内斯"}, {"Jonas", "约纳斯"}, {"Kaja", "卡娅"}, {"Lev", "列夫"},
		{"Mina", "米娜"}, {"Nils", "尼尔斯"}, {"Odile", "奥迪尔"}, {"Pavel", "帕维尔"}, {"Rhea", "瑞亚"}, {"Sven", "斯文"},
	}
)

func draw[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// stem draws an invented name.
func stem(r *rand.Rand) pair {
	h, t := draw(r, heads), draw(r, tails)
	return pair{h.en + t.en, h.zh + t.zh}
}

// person draws an invented person.
func person(r *rand.Rand) pair {
	g, s := draw(r, given), stem(r)
	return pair{g.en + " " + s.en, g.zh + "·" + s.zh}
}

// named makes the name of a thing of a sort.
func named(s, sort pair) pair { return pair{s.en + " " + sort.en, s.zh + sort.zh} }

// fillers are sentences that state nothing and hold no number.
var fillers = map[string][]string{
	"en": {
		"The page is kept by the editorial desk and read over before it is published.",
		"Readers may write to the desk with questions about this entry.",
		"Background on the region and its industry is found in other entries.",
		"Photographs of the site are available on request.",
		"The entry is part of a series on installations and institutions.",
		"A glossary explains the terms that are used on these pages.",
		"Further remarks by the operator were not received before the deadline.",
		"The archive keeps earlier versions of most entries.",
	},
	"zh": {
		"本页由编辑部维护，发布前经过通读。",
		"读者如有疑问可致信编辑部。",
		"有关该地区及其产业的背景见其他条目。",
		"现场照片可应要求提供。",
		"本条目属于设施与机构系列。",
		"词汇表解释了这些页面所用的术语。",
		"截稿前未收到运营方的进一步说明。",
		"档案室保存了多数条目的早期版本。",
	},
}

// publishers other than the subject itself. Domains end in .example, which
// nobody can own.
var publishers = []struct {
	domain string
	name   pair
}{
	{"harborledger.example", pair{"Harbor Ledger", "港湾纪事报"}},
	{"fieldnotes.example", pair{"Field Notes", "田野札记"}},
	{"northpost.example", pair{"The North Post", "北方邮报"}},
	{"plainindex.example", pair{"Plain Index", "简明索引"}},
	{"civicreader.example", pair{"Civic Reader", "市民读者"}},
	{"openalmanac.example", pair{"Open Almanac", "开放年鉴"}},
	{"tidewire.example", pair{"Tidewire", "潮汐通讯"}},
	{"gridreview.example", pair{"Grid Review", "网格评论"}},
	{"quarterbrief.example", pair{"Quarter Brief", "季度简报"}},
	{"lanternnews.example", pair{"Lantern News", "灯笼新闻"}},
	{"stonebridge.example", pair{"Stonebridge Gazette", "石桥公报"}},
	{"meridianwatch.example", pair{"Meridian Watch", "子午观察"}},
}
