package dispute

// concepts are what can be said of a thing, English and Chinese: the kinds of
// values that it has, then its words; words of a phrase are joined by an underscore.
var concepts = []string{
	"money count: price prices priced cost costs costing sell sells selling sold retail retails retailing msrp charge charges charged tariff fare fares ticket tickets admission toll asking listed fee fees tuition pay pays paid 售价 价格 卖 报价 定价 单价 均价 票价 房价 多少钱 门票 票 收费 费用 手续费 价",
	"money: amount total sum due payable 金额 总额 总金额 总价 合计 实付 应付",
	"money: deposit down_payment prepayment 预付款 定金 押金 首付",
	"money: refund refunds refunded 退款",
	"money: revenue revenues sales turnover took_in 营收 营业收入 收入 销售额",
	"money: profit profits earnings net_income income earned 净利润 利润 净利",
	"money: research_and_development r&d 研发投入 研发费用 研发支出",
	"money: advertising marketing 广告费 营销费用",
	"money: salary salaries wage wages earns 工资 薪资 月薪 年薪",
	"money: rent rental rents 租金 房租",
	"money: budget 预算", "money: debt debts owes 债务 负债", "money: premium 保费", "money: deductible excess 免赔额", "money: fine fined penalty 罚款", "money: funding raised round 融资", "money: donation donated 捐款",
	"money: acquisition acquire acquires acquired buys bought purchase 收购", "money: dividend 股息 分红", "money: market_cap 市值", "money: investment invested 投资", "money: bonus bonuses 奖金", "money: valuation valued 估值",
	"money count: gdp gross_domestic_product economy 生产总值 地区生产总值",
	"count: employee employees headcount staff employ employs employed workforce workers people_work work_for 员工 职工 雇员 从业人员",
	"count: population inhabitants residents inhabitant people_live live 人口 居民 常住人口",
	"count: seat seats seating capacity spectators holds 座位 座 席位 可容纳 容纳",
	"count: attendance crowd spectators visitors drew visitor watched attended 观众 观众人数 上座 访客 游客 参观者 到场",
	"count: students student enrolment enrolled pupils 学生 在校生 在校",
	"count: patients randomised randomized participants subjects enrolled enrolment 患者 受试者 入组",
	"count: killed died dead deaths death 死亡 遇难 丧生 去世", "count: injured hurt wounded injuries 受伤 伤者",
	"count: stock inventory in_stock on_hand qty quantity 库存 存货", "count: rooms room 房间 客房", "count: pages 页", "count: votes 票数 得票", "count: goals goal scored 进球", "count: medals medal 奖牌",
	"count: parameters 参数", "count: images 图像 图片", "count: records rows written 记录", "count: downloads 下载", "count: floors storeys stories 层", "count: stations stops 车站", "count: followers subscribers 粉丝", "count: customers clients 客户",
	"count: closed shut closing closures 关闭 关店", "count: opened openings 新开", "count: replicas 副本", "count: points score scored scores 得分 分数", "count: magnitude 震级 级地震", "count: patents 专利", "count: species 物种", "count: issues bugs",
	"count percent: rating rated stars 评分",
	"money count percent: fatalities_rate",
	"count code: port listens listen listening 端口", "count code: platform 站台", "count code: gate 登机口", "code count: seat seat_no 座位号", "code count: room classroom 教室 房间号", "code count: page_size per_page page_limit",
	"percent: interest rate apr 利率 年利率", "percent: unemployment 失业率", "percent: inflation cpi 通胀", "percent: growth grew grow grows rose increase increased 增长 同比 增幅 增速", "percent: turnout 投票率", "percent: share 份额 占比 占", "percent: margin 毛利率", "percent: discount off 折扣 优惠",
	"percent: efficacy effective effectiveness 有效率", "percent: coverage 覆盖率", "percent: humidity 湿度", "percent: mortality deaths 死亡率", "percent: alcohol abv 酒精度", "percent: literacy 识字率", "percent: vote votes 得票率", "percent: decline fell decrease dropped 下降 下跌",
	"length: length long longest distance lies from mileage course 长 长度 全长 总长 里程 全程 距离 相距 距 赛道",
	"length: height high tall tallest highest 高 高度 总高 身高",
	"length: elevation elev altitude above_sea_level rises summit peak high highest height 海拔",
	"length: elevation_gain gain climb climbing ascent 爬升 累计爬升",
	"length: width wide breadth broad 宽 宽度", "length: depth deep depths 深 深度 水深", "length: span main_span 主跨 跨度", "length: diameter 直径", "length: screen display 屏幕", "length: thickness thick 厚 厚度", "length: range 续航 射程", "length: rain rainfall precipitation 降雨 降水",
	"mass: weight mass weigh weighs weighing heavy 重 重量 重达 体重 质量", "mass: emissions co2 排放 碳排放", "mass: dose dosage take started 剂量 用量 服用", "mass: payload load 载重", "mass: catch harvest output production yield 产量 总产",
	"volume mass: capacity holds reservoir storage 库容 蓄水 容量 载重", "area: area size covers surface 面积",
	"bytes: storage disk disk_space 存储 硬盘", "bytes: ram memory memtotal 内存", "bytes: data allowance 流量", "bytes: size 大小",
	"power: capacity output installed produce power 装机 装机容量 功率", "power: charging fast_charging 快充", "energy: consumption uses 能耗 耗电", "energy charge: battery 电池", "speed: speed fast 速度 时速", "speed: wind winds 风速", "temperature: temperature temp 气温 温度",
	"temperature: boiling boils boil 沸点 沸腾", "temperature: melting melts melt 熔点", "temperature: oven bake baked baking 烤箱 烘烤",
	"time: warranty guarantee guaranteed 保修 质保", "time: battery_life battery lasts 续航", "time: duration runtime runs running takes lasts took 历时 时长 全程 需要 用时", "time: timeout times_out time-out 超时", "time: leave holiday holidays annual_leave 年假", "time: term valid validity 期限 有效期",
	"time: return returned returns refund_period 退货", "time: delivery shipping 送达 配送", "time: latency response 延迟", "time: notice 通知期", "time: visa stay 签证 停留", "time: age old aged 年龄 岁", "time: sentence prison 刑期", "time: retention kept 保留", "time: simmer cook bake 烹煮 煮 炖", "time: interval every 间隔",
	"date: founded established founding foundation incorporated founder 成立 创立 创办 创建 建立 始建", "date: opened opens open opening inaugurated opened_to_traffic 开放 开业 开幕 通车 开通 启用", "date: completed completion finished built build 建成 竣工 完工 落成 建于",
	"date: born birth birthday dob 出生 生于 生", "date: died death dies 去世 逝世 卒于", "date: wrote written released released_on release published publication publish out released_at 发布 推出 出版 上线", "date: on_sale went_on_sale launch launched launches launch_date 上市 开售 发售 发射 升空",
	"date clock: began begun started start begins starts commenced construction 开工 动工 开始 开建", "date clock: ends end ended resolved finished expires expiry expire expiration contract_end until 结束 到期 终止", "date: deadline due close closes closing 截止 截止日期", "date: signed signing concluded 签订 签署 订立 签约",
	"date: filed filing application 申请日 申请", "date: granted 授权", "date: held takes_place meeting scheduled convened fixed 举行 召开 考试 会议 定于 考试日期", "date: landfall landed landing made_landfall 登陆 着陆", "date: delivered delivery arrives arrival 签收 送达", "date: shipped dispatched ship 发货",
	"date: joined 加入", "date: appointed became 就任 出任", "date: discovered discovery 发现", "date: first_flight maiden_flight 首飞", "date: entered_service service 投入使用 服役", "date: merged merger 合并", "date: acquired bought acquisition 收购", "date: elected election 当选", "date: order ordered placed 下单", "date: end_of_life eol support_ends 停止支持", "date: flies flight 航班",
	"clock date: departs depart departure departing leaves dep std 出发 起飞 发车 开车 开出", "clock date: arrives arrive arrival arr eta 到达 抵达 到站", "clock: check-in checkin check_in 入住", "clock: check-out checkout check_out 退房", "clock: opens open opening 开放 开门 开馆", "clock: closes close closing closed until 关门 闭馆 打烊 开放至 关闭",
	"clock: begins begin starts start starting kick-off kickoff doors 开始 开演 开赛", "clock: ends finishes 结束",
	"code: isbn", "code: phone telephone tel reached hotline call 电话 联系电话 热线", "code: fax 传真", "code: latest newest stable 最新", "code count: version release 版本", "code: fixed fixes fix patched 修复", "code: requires needs require requirement 需要 要求", "code: address ip 地址", "code: runs running",
	"name: ceo chief_executive chief_executive_officer 首席执行官", "name: cfo chief_financial_officer 首席财务官 财务总监", "name: cto chief_technology_officer 首席技术官", "name: chairman chairwoman chairperson chair 董事长 主席", "name: general_manager managing_director 总经理 总裁", "name: president 总统", "name: prime_minister 总理", "name: minister 部长",
	"name: mayor 市长", "name: governor 行长 州长 省长", "name: headmaster principal rector dean 校长 院长", "name: capital 首都 省会", "name: author novel novelist wrote written writer 作者 著", "name: director directed 导演", "name: founder founded_by 创始人", "name: inventor invented 发明", "name: winner won champion first_place 冠军 夺冠 第一名",
	"name: judge presiding presides 法官 审判长", "name: ambassador 大使", "name: commander commanded 指挥官 司令", "name: chef 主厨", "name: curator 策展人", "name: host presenter hosted 主持人", "name: spokesperson spokesman spokeswoman 发言人", "name: bishop archbishop 主教", "name: chancellor 总理 校监", "name: producer produced_by 制片人", "name: singer performed_by vocalist 演唱 歌手", "name: lyricist lyrics 作词", "name: translator translated 译者 翻译", "name: illustrator illustrated 插画", "name: pilot flown_by 机长", "name: lawyer attorney counsel 律师", "name: surgeon 主刀", "name: tutor supervisor advisor 导师", "name: treasurer 司库 会计", "name: tenant 租户", "name: heir successor 继任者", "name: spouse wife husband married 配偶 妻子 丈夫", "name: mother father 母亲 父亲", "name: nationality citizenship 国籍", "name: religion 宗教", "name: party affiliation 党派", "name: breed 品种", "name: builder built_by contractor 承建 施工单位 承包商", "name: category genre 类别 体裁", "name: coach manager head_coach 教练 主教练", "name: captain 队长", "name: editor edited 主编", "name: headquarters headquartered headquarter hq seat based 总部", "name: birthplace born_in 出生地", "name: owner owned owns 负责人 责任人 所有者", "name: operator operated run_by runs 运营商 运营", "name: architect designed designer design 设计师 设计 建筑师", "name: composer composed 作曲",
	"name: referee refereed 裁判", "name: investigator principal_investigator 首席研究员", "name: conductor 指挥", "name: licence license licensed 许可证 许可", "name: doctorate phd university 博士 毕业院校 毕业", "name: discoverer discovered_by 发现者", "name: speaker keynote 演讲者", "name: manufacturer maker made_by 制造商 厂商", "name: publisher 出版社", "name: venue 地点 场地", "name: painter painted 画家",
	"name: on_duty shift 值班 值班人 夜班", "name: contact 联系人", "name: sponsor 赞助商", "name: supplier vendor 供应商", "name: insurer 保险公司", "name: airline carrier 承运人", "name: origin made_in 产地 原产地", "name: grade 等级 评级", "name: maintainer maintained 维护者", "name: leader led_by head 领导", "name: secretary 书记 秘书长", "name: landlord 房东", "name: lead_author first_author 第一作者", "name: colour color 颜色", "name: currency 货币", "name: language 语言", "name: material 材质",
}

// opposed are words of which a statement is of one at a time: figures of
// different ones are of different things. Words of one class are joined by a
// stroke. A class that begins with ! narrows: where only one of two statements
// has it, they too are of different things.
var opposed = []string{
	"adult/adults/成人/成年 !child/children/kid/kids/youth/infant/infants/儿童/少年/青少年/婴儿 !student/students/学生 !senior/seniors/pensioner/pensioners/老人 !apprentice",
	"top/maximum/max/peak/highest/最高/峰值/最大 average/avg/mean/平均 median/中位数 minimum/min/lowest/最低/最小",
	"gross/毛重/毛利 !tare/皮重 net/净重/净利",
	"full/full-course/全程/全马 !half/half-marathon/半程/半马",
	"standard/regular/标准 !reduced/discounted/concession/优惠 !premium !enterprise",
	"opens/opened/opening/open/开放/开门/开盘/开馆 closes/closed/closing/close/闭馆/关门/收盘/关闭",
	"killed/dead/died/deaths/death/死亡/遇难/丧生 !injured/wounded/hurt/受伤/伤者 !missing/失踪",
	"shipped/dispatched/发货 delivered/arrived/送达/签收 ordered/placed/下单 returned/退货",
	"arrives/arrival/arrive/arriving/到达/抵达 departs/departure/depart/leaves/出发/起飞/发车",
	"economy/经济舱 business_class/商务舱 first_class/头等舱",
	"weekday/weekdays/工作日/平日 weekend/weekends/saturday/saturdays/sunday/sundays/周末",
	"monday/mondays/mon/周一/星期一/每周一 tuesday/tuesdays/周二/星期二/每周二 wednesday/wednesdays/周三/星期三/每周三 thursday/thursdays/周四/星期四/每周四 friday/fridays/周五/星期五/每周五 saturday/saturdays/周六/星期六/每周六 sunday/sundays/周日/星期日/每周日",
	"single/单人 double/twin/双人 suite/套房",
	"!former/formerly/ex-/前任/原任/曾任/previous/previously current/currently/has_been/现任",
	"hired/hire/hires/招聘 laid_off/lay_off/layoffs/cut/裁员/裁减",
	"men/male/males/男性/男子/men's women/female/females/女性/女子/women's",
	"urban/城市 !rural/农村",
	"imports/import/imported/进口 exports/export/exported/出口",
	"brand_new/全新 !refurbished/second-hand/二手",
	"founded/established/incorporated/成立/创立 went_public/listed/上市",
	"began/begun/start/began/starts/started/开工/动工 completed/finished/ended/completion/end/ends/竣工/建成/完工",
	"resident/常住 registered/户籍 added/additional/新增",
	"hardcover/hardback/精装 paperback/平装 !ebook/e-book/电子书 !audiobook/有声书",
	"diesel petrol/gasoline electric/电动",
	"domestic/国内 !international/overseas/海外/国外",
	"lower/下 upper/上", "front rear", "buy/purchase lease",
	"monthly/a_month/per_month/每月/月租 yearly/annually/a_year/per_year/每年/年费 weekly/a_week/per_week/每周 a_day/per_day/每日/每天 hourly/an_hour/per_hour/每小时 a_night/per_night/每晚",
	"!per_person/per_capita/per_head/per_inhabitant/人均/每人 !per_share/每股 !per_kilometre/per_km/每公里 !per_employee !per_household/户均",
	"written/wrote/author translated/translator edited/editor illustrated/illustrator directed/director",
	"boils/boiling/沸点 melts/melting/熔点 freezes/freezing/冰点",
	"lost/lose/losses/负于 drawn/draws",
	"indoor/室内 outdoor/室外", "inbound/return/返程 outbound/outward/去程",
	"second_class/二等座/二等 !first-class/一等座/一等 !商务座",
	"!sequel !prequel !successor !predecessor",
	"!expected/expect/expects/forecast/forecasts/projected/projects/planned/target/targets/predicted/guidance/estimate_for/预计/预测/计划/目标/预期/拟 actual/actually/实际/最终",
	"!offer/offered/bid/proposed/seeks/sought/demands/报盘/要约 bought/acquired/paid/awarded/收购",
	"nominal/名义 !effective/实际利率 real",
	"!segment/segments/division/divisions/分部/业务板块 group/集团/合并",
	"!training/train_split/training_split/训练集 !validation/验证集 !test_split/test_set/测试集",
	"!metropolitan/metro_area/都市圈/都会区 city/市区 !province !district",
	"!fan/convection/风炉 conventional/上下火",
	"worldwide/globally/global/全球 !domestic",
	"full-time/全职 !part-time/兼职/three_days_a_week",
	"undergraduate/undergraduates/本科生/本科 !graduate/postgraduate/postgraduates/研究生/硕士 !doctoral/博士生",
	"prod/production/生产环境 !staging/预发 !dev/development/开发环境 !qa",
	"!gold/金牌 !silver/银牌 !bronze/铜牌",
	"!first_half/上半场/上半年 !second_half/下半场/下半年 full_time/全场",
	"!straight_line/直线/直线距离/as_the_crow_flies road/公路",
	"sea_level/海平面 !summit/山顶/高原",
	"!beta/alpha/rc/preview/nightly/canary stable/稳定版/lts",
	"treatment/治疗组 !control/placebo/对照组",
	"fte/full-time_equivalents/full-time_equivalent/全职等效 headcount/heads/人头",
	"front_desk/reception/前台 !fax/传真 !hotline !mobile",
	"systolic/收缩压 !diastolic/舒张压",
	"senate/参议院 house/众议院",
	"建筑面积 !套内面积/套内/使用面积",
	"早班/白班/day_shift !夜班/night_shift",
	"上午/am 下午/pm",
	"generation/发电量 !installed/装机/装机容量",
	"league/联赛 !all_competitions/各项赛事 cup/杯赛",
	"quarterly/季度 !full-year/全年",
	"!excluding/except/不含 including/包括",
	"list/标价 !wholesale/批发",
	"listening/listen/监听 !management/admin/管理",
	"!deposit/down_payment/prepayment/预付款/定金 !refund/refunded/退款 !shipping/postage/运费 !tax/vat/税 !repair/repairs/维修 !balance/尾款",
	"short-term/短期 long-term/长期", "northbound southbound", "eastbound westbound", "import_price export_price",
	"chairman/董事长 总经理 ceo/chief_executive/首席执行官 cfo/首席财务官 vice/deputy/副",
	"标准版 !旗舰版 !青春版 !专业版 !尊享版 !豪华版 !基础版 !企业版 !至尊版 !纪念版 !升级版 !儿童版",
	"!mini !pro !lite !ultra", "pass/passes/passed fail/failed/failure/fails skip/skipped",
	"!trailer !pilot_episode",
	"首班/首班车/first_train/first_bus 末班/末班车/last_train/last_bus",
	"night/nights/night-time/夜间 day/daytime/白天/日间",
	"summer/夏季 winter/冬季 spring/春季 autumn/秋季", "peak_season/high_season/旺季 low_season/off_season/淡季",
	"!preliminary/provisional/interim/noon/so_far/初步/阶段性 final/最终",
	"empty/空载 loaded/满载", "!loop one-way/单程 !round-trip/往返",
	"check-in/checkin/入住 check-out/checkout/退房",
	"dry wet", "!second_landfall/二次登陆",
	"!junior !senior_team",
	"single_ticket/single_fare day_ticket/day_pass !monthly_pass !season_ticket !return_ticket",
}

// states are conditions that exclude each other: what a thing is (open, closed),
// how it ended (approved, rejected), whether it is so (allowed, no).
var states = []string{
	"open/reopened/opens/处理中/进行中/未关闭/正常开放/开放/ongoing closed/resolved/shut/已关闭/已完结/关闭/闭馆/休馆/停业",
	"approved/granted/accepted/通过/批准/获批 rejected/declined/denied/refused/驳回/拒绝/未通过/voted_down",
	"passed/pass/passes/合格/达标/通过 failed/fail/fails/不合格/不达标/未通过",
	"success/successful/succeeded/圆满成功/取得成功/成功/ok/completed failure/unsuccessful/failed/失利/失败/error",
	"cancelled/canceled/取消/已取消 running/departed/operating/起飞/正常运行/发货/已发货/shipped/delivered/on_time/confirmed/已确认",
	"delivered/签收/已签收 undelivered/lost/lost_in_transit/未签收/派送失败/丢失",
	"available/in_stock/有货/现货 unavailable/sold_out/out_of_stock/discontinued/缺货/无货/售罄/停产",
	"active/有效/生效 inactive/terminated/expired/suspended/revoked/终止/已终止/失效/过期",
	"enabled/on/启用/开启 disabled/off/禁用/停用/未启用",
	"online/up/在线/正常 offline/down/离线/宕机/故障",
	"paid/已付/已支付/已付款 unpaid/overdue/outstanding/未付/未支付/未付款",
	"met/达到/achieved missed/未达到/not_met/failed_to_meet",
	"allowed/permitted/welcome/allows/允许/可以/可携带 forbidden/prohibited/banned/not_allowed/not_permitted/no/禁止/不允许/不得/谢绝/严禁",
	"contains/contain/containing/含/含有 free_of/no/not_contain/without/不含/无",
	"included/includes/含早/包含 excluded/not_included/excludes/不含/不包含",
	"required/mandatory/compulsory/必须/强制/需要 optional/voluntary/not_required/可选/无需/不需要",
	"supported/supports/support/支持 unsupported/not_supported/does_not_support/不支持",
	"alive/living/在世 dead/died/deceased/去世/已故",
	"increased/rose/grew/increase/up/增长/上升/增加/上涨 decreased/fell/dropped/decline/declined/down/下降/减少/下跌",
	"vulnerable/affected/受影响 not_affected/unaffected/not_vulnerable/不受影响",
	"guilty/有罪 acquitted/not_guilty/无罪", "married/已婚 single/divorced/未婚/离异", "true/yes/是 false/否",
	"free/免费 paid/charged/收费/付费", "legal/合法 illegal/unlawful/违法/非法", "profit/盈利 loss/亏损", "public/公开 private/私有/非公开", "positive/阳性 negative/阴性", "encrypted/已加密 unencrypted/未加密/明文", "safe/安全 unsafe/dangerous/危险", "heated unheated", "wireless wired", "waterproof/防水 not_waterproof/不防水",
}

// fillers are words that say nothing of what a statement is of.
const fillers = `number figure amount value total totals currently current now today latest newest recent official officially according report reports reported reporting state stated lists listed list page site
 come comes start stand stands stood give gives given get gets make makes made base basic estimate estimated record recorded records post posted light data dataset card table catalogue entry profile info information details detail
 date time year month day unit piece led announce announced source note updated update approximately about around roughly nearly exactly just only with without first last next period period's company firm statement summary
 show shows shown say says said described describes known called name named title new one two three use used using there their its his her it's see view overview results result query press news article review guide document documentation docs
 section faq question answer customer customers inc ltd plc corp co gmbh ag llc group has have had was were annual yearly fiscal per cent percent rate level worldwide overall based under by file filing registry register index api reached reaches reach made
 can may you we our your when which that this these those than before after also still both very more most less least per each an on in at of for from to up and or not as is are be been being the a measured measures kind its' end ended begin status memory user itinerary release releases version entry size gives standing please wish know let dear main official text long-time result longest tallest largest biggest oldest highest second home official world country city town state people person market price list costs valid earlier later newer older higher`

const hanFillers = `据 报道 媒体 显示 数据 公司 报告 期内 年度 共有 约 达到 实现 完成 截至 其中 目前 现有 设有 仅有 一条 为 位于 总计 左右 以上 以下 根据 公告 称 表示 记者 发布会 官方 官网 介绍 信息 资料 统计 总数 人数 数量 共计 共 于 在 的 已 经 由 是 有 达 年底 年末 年初 末 底 初 全年 本 该起 该 其 我国 同比 左右 大约 近 超过 逾 余 多 元 名称 姓名 型号 编号 时间 日期 状态 结果 国家 局 报 讯 通知 须知 名 型 号 采用 配备 支持 搭载 内置 拥有 可 将 了 和 与 及 之间 每 一 个 台账 记录 表 获得 属于 现 内 中 到 至 从 起 次 列车 航班 订单 合同 任务 试验 版本 默认 官方 我们 他 她 它 进行 当代 著名 知名 人`

// places of both languages, and other writings of them: the first is the name.
const places = `united_states us usa u.s. america 美国,united_kingdom uk gb britain 英国,china cn 中国,japan jp 日本,germany 德国,france 法国,italy 意大利,spain 西班牙,india 印度,russia 俄罗斯,brazil 巴西,canada 加拿大,australia 澳大利亚,netherlands 荷兰,switzerland 瑞士,sweden 瑞典,norway 挪威,finland 芬兰,denmark 丹麦,poland 波兰,austria 奥地利,greece 希腊,turkey 土耳其,egypt 埃及,south_africa 南非,kenya 肯尼亚,mexico 墨西哥,argentina 阿根廷,chile 智利,thailand 泰国,vietnam 越南,singapore 新加坡,malaysia 马来西亚,indonesia 印度尼西亚 印尼,philippines 菲律宾,south_korea korea kr 韩国,portugal 葡萄牙,belgium 比利时,ireland 爱尔兰,iceland 冰岛,new_zealand 新西兰,europe eu 欧洲 欧盟,asia 亚洲,africa 非洲,
beijing 北京,shanghai 上海,tianjin 天津,chongqing 重庆,guangzhou 广州,shenzhen 深圳,hangzhou 杭州,nanjing 南京,wuhan 武汉,chengdu 成都,xi'an xian 西安,suzhou 苏州,qingdao 青岛,dalian 大连,xiamen 厦门,changsha 长沙,zhengzhou 郑州,jinan 济南,shenyang 沈阳,harbin 哈尔滨,kunming 昆明,hong_kong hk 香港,macau 澳门,taiwan 台湾,new_york 纽约,los_angeles 洛杉矶,san_francisco 旧金山,washington 华盛顿,chicago 芝加哥,boston 波士顿,london 伦敦,paris 巴黎,berlin 柏林,munich 慕尼黑,rome 罗马,madrid 马德里,tokyo 东京,osaka 大阪,seoul 首尔,moscow 莫斯科,sydney 悉尼,gotthard 圣哥达,everest 珠穆朗玛峰 珠峰,yangtze 长江,yellow_river 黄河`

// role is what else a word does in a sentence.
type role uint16

const (
	opensPhrase role = 1 << iota // of the lexicon
	labels                       // stands before the number of a thing: room 6
	tellsApart                   // in a name: models of one name
	replaces                     // says that its text corrects another
	scopes                       // leads to whom or what a figure is for
	article
	scores // is of a result such as 3-1
	joins  // two clauses
	prepositional
)

// roles are the words of each role.
var roles = map[role]string{
	labels:        `room line zone platform page build run bill lot unit port phase chapter section stage track patient case flat apartment recipe sample batch job task test step route bus train order invoice ticket gate terminal floor block building warehouse wh exit asteroid ordinance article rule policy pump tank well sensor node cluster rack model episode season week court courtroom hall pier dock berth shelf bin channel pool district ward team version`,
	tellsApart:    `max pro plus mini ultra lite se xl air junior neo fold sport`,
	replaces:      `replaces replacing replaced supersedes superseded correction corrected corrects revised revision erratum`,
	scopes:        `for among`,
	article:       `the this a an`,
	scores:        `beat beats beaten won win wins lost lose loses defeat defeated defeats draw drew drawn score final result vote votes passed carried victory match game halftime`,
	joins:         `and while but which`,
	prepositional: `on off up down`,
}

// kinds are the kinds of values by their names in concepts.
type kind uint32

const (
	count kind = 1 << iota
	money
	percent
	length
	mass
	span
	volume
	area
	bytes
	power
	energy
	speed
	temperature
	charge
	date
	clock
	code
	name
	otherKind
)

var kindNames = map[string]kind{"count": count, "money": money, "percent": percent, "length": length, "mass": mass, "time": span, "volume": volume, "area": area, "bytes": bytes, "power": power, "energy": energy, "speed": speed, "temperature": temperature, "charge": charge, "date": date, "clock": clock, "code": code, "name": name}
