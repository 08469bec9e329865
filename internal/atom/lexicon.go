package atom

import (
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// beforeMonth are the words after which March and May are months.
var beforeMonth = lang.Set("in by since until till from of during for last this next early late mid every to and through before after between")

// yearWords: after 2 a four-digit number is a year, after 1 it is one unless a noun follows.
var yearWords = map[string]int{
	"in": 2, "since": 2, "until": 2, "till": 2, "during": 2, "year": 2, "circa": 2, "ca": 2, "early": 2, "late": 2, "mid": 2, "fiscal": 2, "summer": 2, "autumn": 2,
	"winter": 2, "spring": 2, "fall": 2, "founded": 2, "established": 2, "est": 2, "born": 2, "copyright": 2, "before": 1, "after": 1, "between": 1, "by": 1,
	"from": 1, "to": 1, "and": 1, "of": 1, "for": 1, "through": 1, "or": 1, "the": 0, "built": 1, "opened": 1, "published": 1, "than": 1, "christmas": 1, "through-": 1,
	"posted": 1, "its": 1, "versus": 1, "vs": 1,
}

// yearNouns are words before which a four-digit number is a year rather than a count.
var yearNouns = lang.Set(`revenue sales profit profits results budget report edition season election elections guidance figures census model annual fiscal
 one ones fiscal-year world championship championships earnings forecast target targets plan survey data study review season games olympics festival conference tax income`)

var functionWords = lang.Set(`and or to was were is are the with when which it he she they by as at on in of for from that this has had have but after before
 until than there while because where who its their his her a an if so then also not did does do will would may can could`)

const (
	idWord      = 1 // a number after it is an identifier
	headingWord = 2 // a number after it names a place in a document
)

var idWords = lang.MakeTable(map[string]int{
	"order": idWord, "ticket": idWord, "invoice": idWord, "case": idWord, "issue": idWord, "pr": idWord, "build": idWord, "lot": idWord, "room": idWord, "no": idWord,
	"id": idWord, "number": idWord, "version": idWord, "bug": idWord, "batch": idWord, "flight": idWord, "gate": idWord, "release": idWord, "bus": idWord, "port": idWord,
	"code": idWord, "reference": idWord, "ref": idWord, "account": idWord, "isbn": idWord, "doi": idWord, "arxiv": idWord, "rfc": idWord, "customer": idWord, "patch": idWord, "seat": idWord, "run": idWord, "job": idWord,
	"section": headingWord, "chapter": headingWord, "figure": headingWord, "fig": headingWord, "table": headingWord, "page": headingWord, "step": headingWord,
	"item": headingWord, "part": headingWord, "appendix": headingWord, "paragraph": headingWord, "line": headingWord, "question": headingWord, "option": 0,
	"turn": headingWord, "slide": headingWord, "annex": headingWord, "article": headingWord,
})

// notNames are capitalised words that name nothing by themselves, at any place of a sentence.
var notNames = lang.MakeSet(`I I'm I've I'll I'd Mr Mrs Ms Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays Wednesdays Thursdays Fridays Saturdays Sundays ISBN January February March April May June July August
 September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec OK TODO NOTE WARNING ERROR INFO GDP CEO CFO CTO COO RAM ROM USB API APIs PDF FAQ URL URLs HTML CSV
 JSON XML YAML ID IDs IT TV PC CPU GPU CPUs GPUs OLED LED LCD SSD HDD GPS AM PM USD EUR GBP CNY RMB JPY FY YTD YOY QOQ EBITDA IPO DNA RNA AI LLM LLMs SMS PIN VAT KPI ROI
 SQL HTTP HTTPS TCP IP DNS SDK CLI UI UX PR HR QA ETA SUV EV EVs PS P.S CO2 R&D B2B M&A VPN SKU MRI CT TBD N/A NA TRUE FALSE NULL None True False Null YES NO Yes No
 CVSS GPA IQ PMI YoY QoQ MoM EPS AUM MSRP CI SD SE NW NE SW ESE Tue Mon Wed Thu Thurs Fri Sat Sun Ref Ph ARR NPS SLA MTD DAU MAU RPM PE P/E FX Q1 Q2 Q3 Q4 H1 H2 UTC GMT EST PST CET BMI CPI PMI ETF NGO DIY VIP ATM WiFi Wi-Fi Internet Bluetooth PhD MSc BSc MBA Dr Prof AND OR NOT THE`)

// commonWords are words that may stand first in a sentence, or capitalised in
// a heading, without being a name. A plural or an inflected form of one counts
// too. They are some thousands, so that the set is made for the first text.
var commonWords = sync.OnceValue(func() *lang.Table[bool] { return lang.MakeSet(commonList) })

const commonList = `capacity mix bring operate employ earn spend a about above according account across action active actual add added additional address adult after afternoon again against age agent ago air all
 allow almost alone along already also although always among amount an analysis and animal annual another answer any anyone anything apart app apparently appear
 apply april area argument around arrival art article as ask assume at attack attempt attendance audience author authority autumn availability available average avoid away back
 background bad balance bank barrel base based basic battery be because become before begin behind being believe below benefit beside besides best better between
 beyond big bill black block blood board boat body book both bottom box boy bread break bring brother build building bus business but buy by call camera campaign can
 cannot capital car card care carry case cash cause cell center central centre century certain chair chance change chapter charge charging check child children choice choose city claim class clean clear click client close code coffee cold
 collect college color colour column come coming comment commit committee common community company compare compared complete computer condition conference confirm connect consider contact contain content contract control convert
 cook copy core cost costs could count country couple course court cover create credit crew crude current currently customer cut daily damage dark data database date day dead deal
 death debt decade december decision deep default degree delivery demand density depend deposit design despite detail details device did die difference different difficult dinner direct discount discussion
 distance do doctor document does dog dollar done door dose double down download dozen drive driver drop drug due during duration each early earnings earth east easy eat economy edge edit editor education
 effect effective eight either election electric else email employee empty end energy engine engineer enough enter entire entry environment equal error especially estimate even evening
 event eventually every everyone everything evidence exact exactly example except exchange exit expect expected expert expert experts explain export exports expression extra eye face fact factor fail failed failure fall false family far farm fast father
 fast february fee feel few field figure file fill film final finally finance find fine finish fire firm first fish five fix flat flight floor flow follow following food foot for force foreign forecast forest form former
 forward found four free frequently fresh friday friend from front fuel full fully function fund further furthermore future gain game garden gas gate gather general generally generate get girl give given glacier glad glass
 go goal gold good goods got government grain grand grant great green ground group grow growth guess guest guide had half hand happen happy hard has have he head health hear heart heat heavy height hello help hence her here high
 higher him his history hit hold holiday home hope hospital hot hotel hour house how however huge human hundred hurry husband i ice idea if image immediately impact import imports important in income increase indeed index indicate individual industry
 inflation inform initial input inside install instead interest into invoice is island issue it item its itself january job join judge july june just keep key kind know known label labour labor lack lake land language large last late later latest
 launch law lead leader learn least leave left legal length less let letter level library license licence life light like likely limit line link list listen literature little live load loan local location log long look lose loss lot love low lower lunch machine made mail
 main maintenance major majority make man manage manager many map march margin mark market match material matter maximum may maybe mayor me meal mean meaning measure medical medicine meet meeting member memory men mention menu message met method middle might mile
 military milk mind mine minimum minister minor minute miss mission mobile mode model modern module moment monday money monitor month monthly more moreover morning most mother mountain move movie mr much museum music must my name national natural nature near nearby nearly necessary need
 negative neither net network never nevertheless new news newspaper next nice night nine no nobody none nor normal normally north not note nothing notice november now nowhere number nurse object observation obtain obviously occasionally october of off offer office officer official often oil old older on once one online only
 open opening operation opinion option or order ordinary organization organisation original originally other others otherwise our out output outside oven over overall own owner package page paid paint pair paper parent park parking part particular partner party pass passenger passengers past path patient patients pay
 payment peace people per percent perhaps period permanent person phone photo phrase physical pick picture piece place plan plane plant plastic play player please plus pm point police policy political pollution poor popular population port position positive
 possible possibly post potential pound power practice predict prefer prepare present president press pressure previous previously price prices primary print prior private probably problem process produce product production profit program programme progress project property protect protocol prove
 provide public publish published pull purchase purpose push put quality quantity quarter query question questions quick quickly quiet quite quote race radio rail rain rainfall raise range rank rapid rarely rate rather ratio raw reach read reader reading ready real reality really reason recall receive recent recently recipe record records
 recover red reduce reduced refer reference refund regarding regardless region register regular regulation release relevant remain remember remote remove rent repair repeat replace reply report reports represent request require research reset resident residents resolve respond response rest result results return returned returns revenue review right
 ring rise risk river road rock role roof room rooms root roughly round route row rule run safe safety said sale sales salt same sample saturday save saving savings say scale scan scene schedule school science scientist score scores screen sea search season second secondly section security see seems sell
 send senior sentence separate september series serious serve server service session set setting settings seven several shape share shares she sheet ship shipping ships shop short shortly should show side sign signal silver similar similarly simple simply since single sister site situation six size skip sleep slow slowly small snow so
 social society soft software soil solar sold solution some somebody someone something sometimes son song soon sorry sort sound source sources south space speaker special specific specifically speed speeds spend spending sport spring staff stage standard star start state statement station status stay
 steel step steps still stock stone stop storage store storm story straight street strength strong structure student students study stuff style subject subscription subsequently success such suddenly suggest suit summary summer sun sunday supply support supposedly sure surface surprise survey sweet switch system
 table take talk tank target task tax teacher team technical technology telephone television tell temperature temperatures ten term test tests text than thank thanks that the their them themselves then there therefore these they thing things think third thirdly this those though thousand three through throughout thursday thus ticket tickets time
 times tiny title to today together tomorrow tonight too tool top topic total totally touch toward towards tower town trade traffic train transfer transport travel treat treatment treaty tree trial trip truck true truth try tuesday turn two type typical typically under unemployment unfortunately unit united unless until up update updated upgrade upon upper urban us use used useful user users
 using usually vaccine valid valuation value values van variable variety various vegetable vehicle version versions very via victim video view village violence visit visitor visitors voice volume vote voters wait walk wall want war warehouse warning warranty was wash waste watch water wave way we weak wealth weapon wear weather web website wedding wednesday week
 weekend weekly weight welcome well were west what whatever when whenever where whereas wherever whether which while white who whoever whole whom whose why wide wide width wife wild will win wind window wine winter wish with within without woman women wonder wood word work worker workers working world worse worst worth would write writer wrong
 yard yeah year yearly years yellow yes yesterday yet you young your yours youth zero candidate half-life contact losses narrowed rule total name qty qty prices deal deals revenue guidance title upgrade dose expect read flights commit item pay accept allocate asked asking based both founded official search assistant system user tool according calculate converted
 compare converting overall sum difference confirmed therefore result found fetch retrieve retrieved looked checking checked verify verified unknown note summary conclusion recommendation sources references price pricing content published snippet query results description category brand rating currency latitude longitude altitude humidity pressure stock features feature specs specification
 abandon absorb accelerate acquire activate adapt adjust adjusted adopt advance advise affect afford aim alert align analyse analyst analyze anchor announce anticipate applicant appoint
 appreciate approach approve archive arrange arrive assemble assess assessment assign assist attach attend attract automate award bake ban basket batch bathe beat bench bid bidder bind bite
 blend blow boil bonus booking boost borrow borrower bound bow breach breathe breed brew brief broker brush budget bundle burn button buyer bylaw cabin cable cache calibrate calm calorie
 cancel cap cargo carrier carve cast casualty catalogue catch cease chain chase cheap checklist chill chip chop circle cite citizen claimant clamp clarify classroom clause clerk climate climb
 clip clone coach coat coil collision combine command commence commute commuter competitor compile complaint compliance comply component compose compress compute concern conclude condense
 conduct configure conserve constrain construct consult consume consumer contractor convene convey cool coordinator cope copper correct correlate cotton coverage crack craft crash crawl
 criteria criterion crop cross cruise crush cultivate culture cure customs cycle dam dash dataset deadline dealer debate debit debug decide declare decline decorate decrease dedicate defeat
 defend defendant defer define defrost deliver demonstrate demonstrator deny depart departure depict deploy depreciate deputy derive descend describe deserve desk destroy detach detect deter
 determine develop devise diagnose dial diesel diet differ digest dilute dim dine dip director disable disagree discard disclose disconnect discover discuss disease dispatch display dispose
 dispute dissolve distil distribute district diversify divide dividend divorce dock donate donation donor dosage dosing downtime drag drain draw dress drill drizzle drought dry dump duplicate
 dust earthquake ease elect eliminate embed emerge emission emit enable enclose encode encounter encourage encrypt endorse endpoint enforce engage enhance enjoy enlarge enlist enquiry enrich
 enrol enroll ensure entitle equip equity erase escape establish evacuate evaluate evaporate evolve exam examine exceed excess exclude excuse execute exempt exercise exhaust exhibit expand
 expedite expenditure expense expire exploit explore expose exposure extend extract fabric facility faculty fasten fatality fault favor favour fence ferry fertiliser festival fever fiber fibre
 fight filing filter finding fit fixture flag flagship flash fleet flip float flood flour flush fold footage forbid forgive formulate foundation framework franchise fraud freeze freight fridge
 frost fry fulfil fulfill funnel fuse gallery garage gasoline gauge gene genre geography glaze glucose glue govern grab grade graduate graph grasp grate grease greet grill grind grip guarantee
 guard guideline habitat handbook handle hang harvest haul headcount heading headline hearing heater heatwave hide highlight hike hint hire hockey hoist holding honor honour horizon household
 hunt hurricane icon identify ignite ignore illustrate imagine immigrant implement imply impose impound imprint improvement incentive incident incline include inclusive incorporate incur
 indent infant infect infer influence ingredient inhabitant inherit inject injury innovate inquire inquiry insert inspect inspector inspire installer instructor insulate insurance insure
 insurer intake integrate intend interact interface interpret interrupt intersect interval interview introduce invent inventory invert invest investigate investor invite invoke involve iron
 isolate iterate itinerary jar jog joint jump jury keyboard kick kill kitchen knead knife knock laboratory labourer ladder lamp landlord laptop laser latency laugh lawsuit lawyer lay layer
 leaflet leak lean lease lecture leg legislation lend lender lesson lever liability librarian lid lift liquid liter litre lobby lodge logistics loop loosen lubricate luggage magazine magnitude
 mailbox mainland maker mammal mandate mandatory manual manufacture manufacturer manuscript marathon mash mass mate mature melt membership memo mend merchandise merchant merge merger metal
 microphone migrant migrate mileage mill mince mineral minimise minimize minority mirror misuse mitigate mobilise modify moisten moisture molecule monument mortality mortgage motion motor
 motorist motorway mount multiplier multiply mutation nail narrow nationwide navigate neck neglect negotiate nest nominal nominate nominee normalize notebook notification notify nutrient obey
 obligation oblige observe obstruct occupancy occupation occupy occur odds offence offset omit onion operator opponent opt optimise optimize optional orbit orchestra outage outbreak outcome
 outfit outlay outlet outline outlook oversee overwrite owe oxygen pace pack packet panel parameter pardon parliament parse participate passport password paste patch patent pause peak
 pedestrian peel penalty penetrate peninsula pension perceive percentage perform performer perimeter permission permit persist persuade petition pharmacy phase physician pilot pin pipe
 pipeline pitch pixel planet platform pledge plot plug plumber poem polish poll pool pop portfolio portion pour poverty precipitation pregnancy preheat premiere premise premium prescribe
 prescription presentation preserve presume prevail prevent printer prison privacy prize probe proceed proceeds processor procure producer professor profile projection promotion proof proposal
 propose prosecute prospect prototype provider province prune publisher pump punch pupil purchaser purify pursue qualification queue quit quota rack radiate rake rally ramp ranking rash react
 reactor rebate rebuild receipt receiver recession recharge recipient reckon reclaim recognise recognize recommend reconcile recruit rectify recycle redeem redemption redirect referee
 referendum refill refine reflect reform refresh refrigerate refugee refuse regain regulate reject relate relax relay relocate rely remark remind reminder renew renewal renovate rental reorder
 repay reporter reproduce rescue reservation reserve reservoir reside residence residential resign resist restart restaurant restore restrict resume retail retailer retain retention retire
 retirement retreat retry reuse reveal reverse revert revise revive reward rider rinse rival roast robot rooftop rotate router routing royalty rub ruin runner rush sail salary sand satellite
 satisfy sauce savour saw scanner scatter scholar scholarship scrape scratch screenshot screw script scroll seal seat secure seller semester sender sensor sequence settle sew shake shareholder
 sharpen shed shell shelter shield shift shine shipment shoot shortage shorten shout shower shrink shuffle shut shuttle sift silicon simmer simulate sing sink sip sit sketch skill slash slice
 slide slip slope slot smartphone smash smell smoke smooth snap snowfall soak solve solvent soothe spare specify spectator spill spin splash split spoil spokesman spokesperson sponsor spoon
 spot spray spread sprinkle squeeze stack stadium staffing stain stakeholder stamp statistic statute steal steam steer stem stick stimulate stimulus stir stitch stoppage strain strait strategy
 stream streaming stretch strike strip strive stroke submit subscribe subscriber subset subsidise subsidy subtract suburb suffer suffix supervise supplier suppress surge surgeon surgery
 surpass surplus surrender surround suspect suspend sustain swap sweep swim swing syllabus symptom sync synchronise tablet tackle tag tail takeover tap tape taper tariff taste taxpayer teach
 tear tease technician tenant tenure terminal terminate territory testify textile thaw theater theatre thermostat thicken thief thin threshold throughput throw tide tidy tie tighten tilt
 timeout timetable timing toast toggle tolerance tolerate toll tonnage toss tourism tourist tournament toxicity trace track tracker trader trail trainer transact transaction transcribe
 transform transit transition translate transmit trap traveler traveller treasurer treasury trend tribunal trigger trim triple triumph trouble troubleshoot trust trustee tuck tug tuition tune
 tunnel turnout turnover tutor twist uncover undergo undertake undo unfold uninstall unite unlimited unlock unpack unplug unwrap uphold upkeep upload upstream urge utilise utility utilize
 vacancy vacate validate valve vaporise vary vendor ventilation venture venue verdict vessel veteran veto viewer violate visa visibility vocabulary void voltage volunteer voter voucher voyage
 wage walkway wallet warm warn warrant waterfall watt wavelength weave weekday weigh whale whip whisk whisper wholesale widen widow wildlife winner wipe wire wireless wiring withdraw
 withdrawal withhold withstand witness workflow workforce workload workshop wrap wreck yield zone`
