package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func policy(t testing.TB, c Config) *Policy {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fake puts a secret together at run time, so that no scanner of this
// repository takes a test for a leak.
func fake(parts ...string) string { return strings.Join(parts, "") }

// planted has one example per built-in pattern: what must go, and in which text.
// Numbers with check digits are the published examples of their standards.
var planted = map[string][]string{
	"private_key":       {fake("-----BEGIN RSA PRIVATE", " KEY-----\nMIIEow\n-----END RSA PRIVATE", " KEY-----"), fake("-----BEGIN PRIVATE", " KEY-----\nMIIEowIBAAK cut he")},
	"aws_access_key":    {fake("AKIA", "IOSFODNN7EXAMPLE")},
	"llm_api_key":       {fake("sk-", "ant-api03-", "Zk3vQ9x2Lm8Rt5Wy1Bn6Hc4"), fake("sk-", "proj-", "a1b2c3d4e5f6g7h8i9j0k1l2"), fake("sk-", "1234567890abcdefghijklmn")},
	"google_api_key":    {fake("AIza", "SyA1234567890abcdefghijklmnopqrstuv")},
	"github_token":      {fake("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"), fake("github_", "pat_11ABCDEFG0123456789abcdefghijklmnopqrstuvwxyz")},
	"gitlab_token":      {fake("glpat-", "ABCdef1234567890_xyz")},
	"slack_token":       {fake("xoxb-", "1234567890-abcdefghij")},
	"stripe_key":        {fake("sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc"), fake("whsec_", "4eC39HqLyjWDarjt")},
	"huggingface_token": {fake("hf_", "abcdefghijklmnopqrstuvwxyzABCD")},
	"npm_token":         {fake("npm_", "abcdefghijklmnopqrstuvwxyz0123456789")},
	"pypi_token":        {fake("pypi-", "AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAw")},
	"sendgrid_key":      {fake("SG", ".abcdefghijklmnop_q.rstuvwxyz0123456789")},
	"jwt":               {fake("eyJ", "hbGciOiJIUzI1NiJ9.", "eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")},
	"bearer_token":      {"Bearer 0123456789abcdefXYZ=="},
	"basic_auth":        {"authorization: basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
	"url_password":      {"postgres://app:s3cr3t@db.internal:5432/x"},
	"service_token": {fake("dckr", "_pat_", "a1b2c3d4e5f6a7b8c9d0e1f2"), fake("hv", "s.", "CAESIJa1b2c3d4e5f6a7b8c9"), fake("shp", "at_", "0123456789abcdef0123456789abcdef"), fake("xa", "i-", "a1b2c3d4e5f6a7b8c9d0e1f2"), fake("gs", "k_", "a1b2c3d4e5f6a7b8c9d0e1f2"),
		fake("LT", "AI", "5tAbCdEfGhIjKlMnOp"), fake("123456789", ":AA", "EhBP0av28AAbCdEfGhIjKlMnOpQrStUv0")},
	"webhook_url": {fake("https://hooks.sla", "ck.com/services/", "T00000000/B00000000/XXXXXXXXabcdefghijklmnop"), fake("https://discord.com/api/web", "hooks/123456789012345678/", "AbCdEf-GhIjKlMnOp_0123456789"),
		fake("https://open.feishu.cn/open-apis/bot/v2/ho", "ok/", "0af76519-16cd-43dd-8448-eb211c80319c")},
	"attached_password": {"mysql -u root -pS3cretRoot shop", "mysqldump -h db -u app -p'Zx9kk22' shop", "sshpass -p hunter2zz ssh root@h", "sshpass -p'hunter2zz' ssh h"},
	"option_password":   {"mysqldump --password hunter2zz9 shop", "tool --api-key 'a1b2c3d4'", "x --db-password=Zx9kk22 y"},
	"curl_user":         {"curl -u admin:swordfish https://x.example", `curl -s --user "ann:pw 1`},
	"azure_account_key": {fake("AccountKey=", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==")},
	"access_code": {"PIN: 4821", "PIN 4821", "PIN码：4821", "my pin is 482193", `"card_pin": 4821`, `"mfaCode": "482193"`, "otp=482193", "<otp>482193</otp>", "**OTP:** 482193",
		"One-time code: 482193", "your verification code is 482 193", "verification code: 7F3K9Q", "2FA code: 482-193", "482193 is your login code", "G-482193 is your Example verification code",
		"验证码：482193", "您的验证码是：482193", "验证码482193", "482193为您的登录验证码", "【某某】482193（登录验证码）", "驗證碼＝482193", "提取码：ab12", "CVV: 123", "安全码：123",
		"認証コード：482193", "인증번호: 482193", "Bestätigungscode: 482193", "Ihr Bestätigungscode ist 482193", "code de vérification : 482193"},
	"email":       {"jane.doe+spam@mail.example.co.uk", "李雷@例子.中国"},
	"card_number": {"4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005"},
	"iban":        {"GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"},
	"us_ssn":      {"078-05-1120"},
	"cn_id":       {"11010519491231002X"},
	"phone":       {"+44 20 7946 0958", "+1-202-555-0143", "+86 138 0013 8000", "0044 20 7946 0958", "(415) 555-0132", "415-555-0132", "415.555.0132", "1-800-555-0199", "020 7946 0958", "010-6234 5678", "0571-88885678", "(010) 62345678"},
	"phone_field": {"Tel: 030 901820", "手机号：555 0199 22", "phone number is 62345678", `"fax": "62345678"`},
	"cn_mobile":   {"13800138000", "138 0013 8000", "138-0013-8000"},
}

func TestEveryBuiltinFindsItsExamples(t *testing.T) {
	for _, b := range Builtins() {
		name := b[0]
		if len(planted[name]) == 0 {
			t.Errorf("no example of %s", name)
		}
		p := policy(t, Config{Builtin: []string{name}})
		for _, secret := range planted[name] {
			for _, frame := range []string{"%s", "before %s after", "{\"x\": \"%s\"}", "电话：%s。", "(%s)\n"} {
				in := strings.Replace(frame, "%s", secret, 1)
				got := p.Text(in)
				if got.Replaced == 0 || !strings.Contains(got.Text, "[redacted:") {
					t.Errorf("%s: Text(%q) = %q, want it replaced", name, in, got.Text)
				}
				if name != "phone_field" && name != "basic_auth" && name != "bearer_token" && name != "url_password" && name != "azure_account_key" && name != "access_code" && strings.Contains(got.Text, secret) {
					t.Errorf("%s: Text(%q) = %q still holds it", name, in, got.Text)
				}
				if again := p.Text(got.Text); again.Text != got.Text || again.Replaced != 0 {
					t.Errorf("%s: redacting %q again gives %q", name, got.Text, again.Text)
				}
			}
		}
	}
}

// What evidence is made of must survive: figures, dates, ids, ordinary words.
func TestOrdinaryTextIsKept(t *testing.T) {
	p := policy(t, Config{Builtin: []string{"secrets", "personal"}})
	for _, s := range []string{
		"Revenue was 1,299.50 USD in 2023-10-14, up 12.5% (n = 4111).",
		"order 4111 1111 1111 1112 shipped", // fails its check digit
		"trace 0af7651916cd43dd8448eb211c80319c, span b7ad6b7169203331",
		`{"next_page_token": "abc123", "max_tokens": 512, "secretary": "Ann", "keyboard": "x"}`,
		// Tokens that are counts, words, or places in a list.
		`{"tokens": 512, "token_count": 1024, "token": 512, "total_tokens": "1234567890123456789", "token_type": "Bearer0123456789abc"}`,
		`{"token": "Norden", "next_token": "eyJpZCI6MTIzNDU2Nzg5MH0", "nextPageToken": "CAUQAA0123456789abcd", "sync-token": "a1b2c3d4e5f6a7b8c9d0"}`,
		"token: the smallest unit of a text, 2024-11-30", `{"betoken": "a1b2c3d4e5f6a7b8c9d0", "session_id": "a1b2c3d4e5f6a7b8c9d0"}`,
		"a basic understanding of bearer instruments",
		"http://example.com:8080/a?b=c",
		"commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
		"三季度营收 4.12亿元，同比增长百分之十八",
		"risk-based-approaches-are-common", "version 1.2.3-4567", "000-12-3456",
		"110105194912310021", // wrong check character
		// Words about passwords, results called pass, numbers in groups.
		"The password is required and must be changed.", "Your password is incorrect.", "my password is not working", "password is case-sensitive.",
		"the password is AES-256 encrypted", "password: required", `{"password": "required", "api_key": null}`, "secret: none",
		"The password is essential.", "The password is mandatory.", "The password is unique.", "The password is simple", "password is not enough.",
		`The password is "required for all users".`, "The primary key: a1b2c3d4e5f60718", "API key: see the portal",
		"the password is AES-256 encrypted", "the password to the portal was sent", "The password is 12 characters long.", "the PIN is 4 digits",
		"the passwords are stored as SHA256.", "the password is [redacted:field].", "password is ${PASSWORD}", "the password is <password>",
		"密码是必填项，不能为空", "密码：必填", "密码为 8 位以上", "密码是 base64 编码的。", "密码为 null", "忘记密码怎么办？", "口令是否正确", "密码: 见附件",
		"密码是必填项", "密码是关键", "密码学是数学分支。", "口令：见附件", "口令红包活动", "密码为自动生成", "口令：请咨询前台", "密码：无", "密钥：公开", "令牌数：2048", "密码：与邮箱相同",
		"the --password option is required", "use --token to log in", "pass --api-key <key>", "curl -u <user>:<password> https://x.example", "curl -u $USER:$PASS x", "curl https://x.example/a:b",
		"order no. 078-05-1120", "part no. 415-555-0132", "population 13800138000", "GDP 4222222222222", "cookie: chocolate chip", "authorization: granted on 2024-05-03",
		"PIN code 560001", "Bengaluru, PIN: 560001", "GPIO pin: 17", "pin 4821", "spin: 4821", "my PIN has 4 digits", `{"opinion": 48219, "pinned": 4821}`,
		"error code: 48219", "zip code: 48219", "booking code: 482193", "tracking code: 482193", "HS code: 48219000", "the code is 482193", "order 48219 is your order",
		"2024 is the year in which the OTP was introduced", "2024是验证码技术的元年", "验证码2024年改版", "OTP 2024 conference", "OTP expires in 10 minutes", "the OTP service took 48219 ms",
		"security code: 600519", "CVC 1234567", "cvv: 12.5", "auth code 2.0", "verification code: required", "verification code has 6 digits", "验证码错误", "验证码有效期5分钟",
		"密码：8位以上", "密码：base64编码", "密码“错误”提示", "忘记「密码」怎么办", "密码——必填",
		"boarding pass: A12B34", "secret: none", "api_key: null", "The API key is optional.", `{"name": "mode", "value": "fast"}`, "password field for 2fa", "the API key format changed",
		`{"pass": true, "fail": 0}`, "pass=12 fail=3", "pass: 12/15 pass=partial pass=10ms", "first-pass: done", "bypass=a1b2c3",
		"Passwort: erforderlich", "contraseña: obligatoria", "clave: 12", "mot de passe : oublié", "пароль: неверный", "senha: incorreta", "パスワード: 必須",
		"mysql -p shop", "mysql -h db -P 3306 -p", "sshpass -p $PASS ssh h", "mysql prompts with -prompt", "xai-based search", "the webhook /hooks/build is called", "ratio 12345678:AA",
		"mysql -p <password> -u <user>", "<password></password>", "<label for=\"password\">Your login</label>",
		"signature: def f(a1, b2)", "sig=short1", "GET /x?signature_version=4",
		"1 234 567 890 inhabitants", "12 345 6789", "2024-11-30 12:30", "ISBN 978-3-16-148410-0", "192.168.100.200", "10.1000/182 2345",
		"phone calls: 3", "mobile: 2024-11-30", "ratio 0.571 8888", "pages 415-555", "order 2024-0132",
	} {
		if got := p.Text(s); got.Text != s || got.Replaced != 0 {
			t.Errorf("Text(%q) = %q, want it unchanged", s, got.Text)
		}
	}
}

func TestNamedFields(t *testing.T) {
	p := policy(t, Config{Fields: []string{"Patient Name"}})
	for _, tt := range []struct{ in, want string }{
		{`{"password": "hunter2", "user": "ann"}`, `{"password": "[redacted:field]", "user": "ann"}`},
		{`{"password":"a\"b\\","user":"ann"}`, `{"password":"[redacted:field]","user":"ann"}`},
		{`{"password": 12345, "n": 1}`, `{"password": [redacted:field], "n": 1}`},
		{`{"password": {"a": ["}", 1]}, "n": 1}`, `{"password": [redacted:field], "n": 1}`},
		{"{\"password\":\n  \"x y\"}", "{\"password\":\n  \"[redacted:field]\"}"},
		{`{"dbPassword": "hunter2`, `{"dbPassword": "[redacted:field]`},
		{`{'api_key': 'k1', 'q': 'it'}`, `{'api_key': '[redacted:field]', 'q': 'it'}`},
		{`{"args": "{\"client_secret\": \"x\\\"y\", \"n\": 1}"}`, `{"args": "{\"client_secret\": \"[redacted:field]\", \"n\": 1}"}`},
		{`{"args": "{\"client_secret\": \"cut"}, "n": 1}`, `{"args": "{\"client_secret\": \"[redacted:field]"}, "n": 1}`},
		{"OPENAI_API_KEY=abc OTHER=1", "OPENAI_API_KEY=[redacted:field] OTHER=1"},
		{"GET /x?access_token=abc&page=2", "GET /x?access_token=[redacted:field]&page=2"},
		{"X-Api-Key: abc\nAccept: */*", "X-Api-Key: [redacted:field]\nAccept: */*"},
		{"Cookie: a=1; b=2\nAccept: */*", "Cookie: [redacted:field]\nAccept: */*"},
		{`curl -H "Authorization: Token x y" http://h`, `curl -H "Authorization: [redacted:field]" http://h`},
		{`pwd := "abc"`, `pwd := "[redacted:field]"`},
		{`{"token": "a1b2c3d4e5f6a7b8c9d0", "n": 1}`, `{"token": "[redacted:field]", "n": 1}`},
		{`{"botToken": "a1b2c3d4e5f6a7b8c9d0", "session_key": "k"}`, `{"botToken": "[redacted:field]", "session_key": "[redacted:field]"}`},
		{"Passwort: Sommer2024", "Passwort: [redacted:field]"}, {"Mot de passe : Soleil2024", "Mot de passe : [redacted:field]"},
		{`{"contraseña": "Verano2024"}`, `{"contraseña": "[redacted:field]"}`}, {"пароль: Leto2024x", "пароль: [redacted:field]"}, {"パスワード: Natsu2024", "パスワード: [redacted:field]"},
		{"DEPLOY_TOKEN=a1b2c3d4e5f6a7b8c9d0 N=1", "DEPLOY_TOKEN=[redacted:field] N=1"},
		{"GET /x?token=a1b2c3d4e5f6a7b8c9d0&page=2", "GET /x?token=[redacted:field]&page=2"},
		{`patientName: Ann`, `patientName: [redacted:field]`},
		{`patient_name=Ann`, `patient_name=[redacted:field]`},
		{`the password is long`, `the password is long`},
		// A field called pass, in a link or a line.
		{"GET /x?user=ann&pass=hunter2&p=1", "GET /x?user=ann&pass=[redacted:field]&p=1"},
		{"DB_PASS=sw0rdfish N=1", "DB_PASS=[redacted:field] N=1"},
		{`{"userPass": "sw0rd fish"}`, `{"userPass": "[redacted:field]"}`},
		{"<password>swordfish</password>", "<password>[redacted:field]</password>"},
		{`<wsse:Password Type="text">a b</wsse:Password>`, `<wsse:Password Type="text">[redacted:field]</wsse:Password>`},
		{`{"xml": "<apiKey>k<\/apiKey>"}`, `{"xml": "<apiKey>[redacted:field]<\/apiKey>"}`},
		// What signs a link.
		{"https://s3.example/x?X-Amz-Expires=60&X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027d0&y=1", "https://s3.example/x?X-Amz-Expires=60&X-Amz-Signature=[redacted:field]&y=1"},
		{"https://g.example/x?X-Goog-Signature=247a2aa45f169edf4d187d54e7cc46e4", "https://g.example/x?X-Goog-Signature=[redacted:field]"},
		{"https://a.example/x?sv=2022&sig=Z%2FRHIX5Xcg0Mq2rqI3OlWTjEg2tYkboXr1P9ZUXDtkk%3D&se=1", "https://a.example/x?sv=2022&sig=[redacted:field]&se=1"},
		{"X-Amz-Security-Token=IQoJb3JpZ2luX2VjE%2F1234abcd", "X-Amz-Security-Token=[redacted:field]"},
		// Sentences.
		{"My password is hunter2, please log in.", "My password is [redacted:field], please log in."},
		{"my password is swordfish.", "my password is [redacted:field]."},
		{"The password for the guest portal is Halden2024!", "The password for the guest portal is [redacted:field]!"},
		{"Change my password to tr0ub4dor&3 now", "Change my password to [redacted:field] now"},
		{"the passcode was: 482193.", "the passcode was: [redacted:access_code]."},
		{"Your PIN is 4821", "Your PIN is [redacted:access_code]"},
		{`the password is "swordfish"`, `the password is "[redacted:field]"`},
		{"The password is swordfish.", "The password is [redacted:field]."},
		{"my Wi-Fi password is swordfish", "my Wi-Fi password is [redacted:field]"},
		{`The password is "correct horse battery staple".`, `The password is "[redacted:field]".`},
		{"The password is 'sword fish'", "The password is '[redacted:field]'"},
		{"API Key: 7f3c9a1b2d4e5f60", "API Key: [redacted:field]"},
		{"the secret key = 7f3c9a1b2d4e5f60", "the secret key = [redacted:field]"},
		{"PGPASSWORD=pgpw99x psql", "PGPASSWORD=[redacted:field] psql"},
		{"登录密码是hunter2，请保密", "登录密码是[redacted:field]，请保密"},
		{"我的密码是 swordfish。", "我的密码是 [redacted:field]。"},
		{"密码已改为 123456", "密码已改为 [redacted:field]"},
		{"口令：abc@123；有效期三天", "口令：[redacted:field]；有效期三天"},
		{"密码为「swordfish」", "密码为「[redacted:field]」"},
		{"口令：芝麻开门", "口令：[redacted:field]"},
		{"口令：“芝麻开门”", "口令：“[redacted:field]”"},
		{"密码：“correct horse”", "密码：“[redacted:field]”"},
		{"我的密码是苹果香蕉。", "我的密码是[redacted:field]。"},
		{"密码是苹果，别告诉别人", "密码是[redacted:field]，别告诉别人"},
		{"密码＝hunter2zz", "密码＝[redacted:field]"},
		{"密码——hunter2zz", "密码——[redacted:field]"},
		{"密码「hunter2」", "密码「[redacted:field]」"},
		{"密码：苹果123", "密码：[redacted:field]"},
		{"密码（初始）：hunter2zz", "密码（初始）：[redacted:field]"},
		{"账号 admin 密码：888888；验证码：4821", "账号 admin 密码：[redacted:field]；验证码：[redacted:access_code]"},
		{"用户名：admin，密码：Admin@123。", "用户名：admin，密码：[redacted:field]。"},
		{"password：swordfish，然后登录", "password：[redacted:field]，然后登录"},
		{"password: hunter2，然后登录", "password: [redacted:field]，然后登录"},
		{"密码: “correct horse”", "密码: “[redacted:field]”"},
		{"api_key：abc123def", "api_key：[redacted:field]"},
		{"token：a1b2c3d4e5f6a7b8c9d0", "token：[redacted:field]"},
		{"**Password:** swordfish", "**Password:** [redacted:field]"},
		{"**Password**: swordfish", "**Password**: [redacted:field]"},
		{"**密码：** hunter2zz", "**密码：** [redacted:field]"},
		{"Password: **swordfish**", "Password: **[redacted:field]**"},
		{"密码：**swordfish**", "密码：**[redacted:field]**"},
		{"password (temporary): hunter2zz", "password (temporary): [redacted:field]"},
		{"The secret token is 7f3c9a1b2d4e5f6071.", "The secret token is [redacted:field]."},
		{"密钥：7f3c9a1b2d4e5f60abcd", "密钥：[redacted:field]"},
		{"访问令牌：7f3c9a1b2d4e5f60abcd", "访问令牌：[redacted:field]"},
		{"The API key is 7f3c9a1b2d4e5f6071.", "The API key is [redacted:field]."},
		{"username admin, password hunter2zz9", "username admin, password [redacted:field]"},
		{"用户名 admin 密码 admin888", "用户名 admin 密码 [redacted:field]"},
		{`[{"name":"DB_PASSWORD","value":"hunter2"},{"name":"MODE","value":"fast"}]`, `[{"name":"DB_PASSWORD","value":"[redacted:field]"},{"name":"MODE","value":"fast"}]`},
		{`{"env":"{\"name\": \"API_KEY\", \"value\": \"k1\"}"}`, `{"env":"{\"name\": \"API_KEY\", \"value\": \"[redacted:field]\"}"}`},
		{`{"登录密码": "swordfish"}`, `{"登录密码": "[redacted:field]"}`},
	} {
		got := p.Text(tt.in)
		if got.Text != tt.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", tt.in, got.Text, tt.want)
		}
		if again := p.Text(got.Text); again.Text != got.Text {
			t.Errorf("redacting %q again gives %q", got.Text, again.Text)
		}
	}
}

func TestData(t *testing.T) {
	p := policy(t, Config{Builtin: []string{"secrets", "email"}})
	in := map[string]any{
		"headers": map[string]any{"Authorization": "Bearer x", "Accept": "*/*"},
		"list":    []any{"a@b.example", int64(7), nil, true},
		"apiKey":  map[string]any{"deep": 1},
		"secret":  nil,
		"token":   "a1b2c3d4e5f6a7b8c9d0",
		"tokens":  int64(512),
		"env":     []any{map[string]any{"name": "DB_PASSWORD", "value": "hunter2"}, map[string]any{"name": "MODE", "value": "fast"}},
	}
	want := map[string]any{
		"headers": map[string]any{"Authorization": "[redacted:field]", "Accept": "*/*"},
		"list":    []any{"[redacted:email]", int64(7), nil, true},
		"apiKey":  "[redacted:field]",
		"secret":  nil,
		"token":   "[redacted:field]",
		"tokens":  int64(512),
		"env":     []any{map[string]any{"name": "DB_PASSWORD", "value": "[redacted:field]"}, map[string]any{"name": "MODE", "value": "fast"}},
	}
	got, r := p.Data(in)
	if diff := cmp.Diff(want, got); diff != "" || r.Replaced != 5 {
		t.Errorf("Data: %d replaced, want 5 (-want +got)\n%s", r.Replaced, diff)
	}
	if in["list"].([]any)[0] != "a@b.example" {
		t.Error("Data changed its argument")
	}
}

func TestWhatCannotBeChecked(t *testing.T) {
	deep := any("x")
	for range DepthMax + 2 {
		deep = []any{deep}
	}
	long := strings.Repeat("a", TextBytesMax+1)
	open, closed := policy(t, Config{Mode: On}), policy(t, Config{Mode: FailClosed})
	if r := open.Text(long); r.Unchecked != "too_long" || r.Text != long {
		t.Errorf("on: a text that is too long: unchecked %q, %d bytes", r.Unchecked, len(r.Text))
	}
	if r := closed.Text(long); r.Withheld != "too_long" || r.Text != "[withheld:too_long]" {
		t.Errorf("fail-closed: a text that is too long: withheld %q", r.Withheld)
	}
	if r := closed.Text("a\xff"); r.Withheld != "invalid_utf8" || r.Text != "[withheld:invalid_utf8]" {
		t.Errorf("fail-closed: broken UTF-8: %+v", r)
	}
	if _, r := closed.Data(deep); r.Withheld != "too_deep" {
		t.Errorf("fail-closed: deep data: %+v", r)
	}
	if _, r := open.Data(deep); r.Unchecked != "too_deep" {
		t.Errorf("on: deep data: %+v", r)
	}
}

func TestOffAndNil(t *testing.T) {
	secret := "password=x"
	for _, p := range []*Policy{nil, policy(t, Config{Mode: Off})} {
		if r := p.Text(secret); r.Text != secret || p.Enabled() {
			t.Errorf("an off policy changed %q to %q", secret, r.Text)
		}
	}
}

func TestHash(t *testing.T) {
	base := policy(t, DefaultConfig())
	if got := policy(t, Config{}); got.Hash() != base.Hash() {
		t.Error("the empty configuration and the default one have different hashes")
	}
	seen := map[string]string{base.Hash(): "default"}
	for name, c := range map[string]Config{
		"off": {Mode: Off}, "fail-closed": {Mode: FailClosed}, "personal": {Builtin: []string{"personal"}}, "none": {Builtin: []string{}},
		"field": {Fields: []string{"name"}}, "pattern": {Patterns: []Pattern{{Name: "a", Regex: "b"}}},
	} {
		h := policy(t, c).Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
}

func TestMistakesAreNamedTogether(t *testing.T) {
	err := Config{Mode: "yes", Builtin: []string{"secret"}, Fields: []string{"--"}, Patterns: []Pattern{{Name: "A b", Regex: "x"}, {Name: "b", Regex: "("}, {Name: "c", Regex: "x*"}}}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`mode "yes": want off, on or fail-closed`, `builtin "secret": want secrets, personal, private_key`, `fields[0] "--"`, `patterns[0]: name "A b"`, `patterns[1] "b": regex`, `patterns[2] "c"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
}

// FuzzText: never panics, and a planted secret never survives, whatever stands
// around it.
func FuzzText(f *testing.F) {
	p, err := New(Config{Builtin: []string{"secrets", "personal"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"password": "`, `"}`)
	f.Add("password=", "\\\"'[{")
	f.Add("cookie: [redacted:", "] authorization:")
	f.Fuzz(func(t *testing.T, before, after string) {
		secret := fake("AKIA", "IOSFODNN7EXAMPLE")
		got := p.Text(before + " " + secret + " " + after)
		if strings.Contains(got.Text, secret) {
			t.Errorf("%q still holds the key", got.Text)
		}
	})
}

func BenchmarkText(b *testing.B) {
	p, err := New(Config{Builtin: []string{"secrets", "personal"}})
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(`{"title": "Annual report", "body": "Revenue was 412 million USD: see https://example.com/a?b=1", "score": 0.5}`+"\n", 40)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		p.Text(text)
	}
}

// A text that was redacted before holds nothing more that this policy removes,
// where all its placeholders are ones that it writes.
func TestCovers(t *testing.T) {
	secrets, err := New(DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	off, err := New(Config{Mode: Off})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		policy *Policy
		text   string
		want   bool
	}{
		{secrets, "nothing", true},
		{off, "nothing", true},
		{secrets, "key [redacted:llm_api_key], again [redacted:field].", true},
		{secrets, "key [redacted:llm_api_key], mail [redacted:email]", false},
		{secrets, "[withheld:too_long]", false},
		{secrets, "cut [redacted:llm_api", false},
		{off, "key [redacted:llm_api_key]", false},
		{nil, "key [redacted:field]", false},
	} {
		if got := tt.policy.Covers(tt.text); got != tt.want {
			t.Errorf("Covers(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}
