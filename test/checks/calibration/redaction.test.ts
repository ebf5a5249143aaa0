import { expect, test } from "vitest";
import { type HarExchange, type HarEntry, harEntry } from "../../../src/traffic/har.ts";
import { isCpf, isCnpj } from "../../../src/simulator/countries/brazil/documents.ts";
import { pixKeyType } from "../../../src/simulator/countries/brazil/pix-keys.ts";
import { crc16 } from "../../../src/simulator/countries/brazil/emv.ts";
import { Redactor } from "../../../src/traffic/redaction.ts";
import { StandIns } from "../../../src/traffic/stand-ins.ts";

const key = new Uint8Array(32);

function entry(exchange: Partial<HarExchange> & { body?: unknown; answer?: unknown }): HarEntry {
  const { body, answer, ...rest } = exchange;
  return harEntry({
    startedAt: 0,
    durationMs: 1,
    method: "POST",
    url: "https://api.platform.example/order/v1/banking/accounts",
    requestHeaders: [{ name: "content-type", value: "application/json" }],
    requestBody:
      body === undefined ? null : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    status: 200,
    responseHeaders: [{ name: "content-type", value: "application/json" }],
    responseBody: Buffer.from(answer === undefined ? "" : JSON.stringify(answer)),
    ...rest,
  });
}

test("a stand-in has the form of the value, and is the same for the same value", () => {
  const standIns = new StandIns(key);
  const cpf = standIns.document("52998224725");
  expect(isCpf(cpf)).toBe(true);
  expect(cpf).not.toBe("52998224725");
  expect(standIns.document("529.982.247-25").replaceAll(/\D/g, "")).toBe(cpf);
  expect(standIns.pixKey("52998224725")).toBe(cpf);
  expect(isCpf(standIns.document("52998224724"))).toBe(false);
  const cnpj = standIns.document("12abc34501de35");
  expect(isCnpj(cnpj)).toBe(true);
  expect(cnpj).toMatch(/^\d\d[a-z]{3}\d{5}[a-z]{2}\d\d$/);
  expect(standIns.document("00000000000")).toBe("00000000000");
  expect(pixKeyType(standIns.pixKey("ana@loja.com.br"))).toBe("EMAIL");
  expect(standIns.email("Ana@Loja.com.br")).toMatch(/^[A-Z][a-z]{2}@[A-Z][a-z]{3}\.[a-z]{3}\.br$/);
  expect(standIns.email("Ana@Loja.com.br").toLowerCase()).toBe(standIns.email("ana@loja.com.br"));
  expect(standIns.phone("+5511987654321")).toMatch(/^\+55\d{11}$/);
  expect(pixKeyType(standIns.pixKey("123e4567-e12b-42d1-a456-426655440000"))).toBe("RANDOM");
  expect(new StandIns(new Uint8Array(32).fill(1)).document("52998224725")).not.toBe(cpf);
});

test("a card number keeps its first digits and the truth of its check sum", () => {
  const standIns = new StandIns(key);
  const isLuhn = (number: string): boolean =>
    Array.from(number, Number)
      .toReversed()
      .reduce(
        (sum, digit, place) => sum + (place % 2 ? ((digit * 2) % 10) + (digit > 4 ? 1 : 0) : digit),
        0,
      ) %
      10 ===
    0;
  expect(standIns.card("4111111111111111")).toMatch(/^411111\d{10}$/);
  expect(standIns.card("4111111111111111")).not.toBe("4111111111111111");
  expect(isLuhn(standIns.card("4111111111111111"))).toBe(true);
  expect(isLuhn(standIns.card("4111111111111112"))).toBe(false);
});

test("a PIX QR code stays one, with a checksum that fits exactly if it did", () => {
  const standIns = new StandIns(key);
  const payload =
    "00020126490014br.gov.bcb.pix0115pix@example.com0208Pedido 1520400005303986540510.505802BR5917LOJA EXEMPLO LTDA6009SAO PAULO62070503***63043B2C";
  const replaced = standIns.brCode(payload);
  expect(replaced).not.toContain("LOJA EXEMPLO");
  expect(replaced).not.toContain("pix@example.com");
  expect(replaced).toContain("540510.50");
  expect(replaced).toContain(standIns.pixKey("pix@example.com"));
  expect(crc16(replaced.slice(0, -4))).toBe(replaced.slice(-4));
  const broken = standIns.brCode(`${payload.slice(0, -4)}0000`);
  expect(crc16(broken.slice(0, -4))).not.toBe(broken.slice(-4));
});

test("nothing personal or secret is left in an entry, and what is no secret stays as it is", () => {
  const redactor = new Redactor(key);
  const debtor = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };
  const first = redactor.entry(
    entry({
      url: "https://api.platform.example/order/v1/banking/accounts?document=52998224725&limit=5",
      requestHeaders: [{ name: "Authorization", value: "Bearer tok-En.123" }],
      body: {
        accountId: "11111111-1111-4111-8111-111111111111",
        externalId: "gym-1",
        debtor,
        paymentData: { pixKey: "maria@example.com" },
        card: { number: "4111111111111111", holderName: "MARIA DA SILVA", securityCode: "123" },
        amount: { currency: "BRL", value: "10.50" },
      },
      answer: {
        id: "a3c1",
        message: "The receiver Maria da Silva does not own maria@example.com.",
        data: [{ fullName: "Maria da Silva", phone: "+5511987654321", email: "maria@example.com" }],
        secret: "whsec-1",
      },
    }),
  );
  const text = JSON.stringify(first);
  for (const value of [
    "Maria",
    "MARIA",
    "52998224725",
    "tok-En",
    "maria@",
    "4111111111111111",
    "987654321",
    "whsec-1",
  ])
    expect(text).not.toContain(value);
  const body = JSON.parse(first.request.postData?.text ?? "") as Record<string, Record<string, unknown>>;
  expect(body).toMatchObject({
    accountId: "11111111-1111-4111-8111-111111111111",
    externalId: "gym-1",
    amount: { currency: "BRL", value: "10.50" },
  });
  expect(first.request.queryString).toContainEqual({ name: "limit", value: "5" });
  const { number } = (body["debtor"] as unknown as typeof debtor).document;
  expect(first.request.queryString).toContainEqual({ name: "document", value: number });
  const answer = JSON.parse(first.response.content.text ?? "") as {
    message: string;
    data: { fullName: string }[];
  };
  expect(answer.message).toContain(answer.data[0]?.fullName);
  expect(answer.message).toMatch(/^The receiver .* does not own .*@.*\.com\.$/);
});

test("a token is the same in the answer that issues it and in the calls that use it; a client secret is replaced", () => {
  const redactor = new Redactor(key);
  const form = entry({
    requestHeaders: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    body: "grant_type=client_credentials&client_id=acme&client_secret=s3cret&scope=api%3A%2F%2Fapp-order-prd",
    answer: { access_token: "abc.def", expires_in: 3599 },
  });
  const issued = redactor.entry(form);
  const token = (JSON.parse(issued.response.content.text ?? "") as { access_token: string }).access_token;
  expect(Object.fromEntries(new URLSearchParams(issued.request.postData?.text))).toMatchObject({
    client_id: "acme",
    client_secret: expect.not.stringContaining("s3cret") as string,
  });
  const used = redactor.entry(
    entry({ requestHeaders: [{ name: "authorization", value: "Bearer abc.def" }] }),
  );
  expect(used.request.headers).toEqual([{ name: "authorization", value: `Bearer ${token}` }]);
  const basic = redactor.entry(
    entry({ requestHeaders: [{ name: "authorization", value: `Basic ${btoa("acme:s3cret")}` }] }),
  );
  expect(atob(basic.request.headers[0]?.value.slice(6) ?? "")).toMatch(/^acme:(?!s3cret)/);
});

test("a body that cannot be read is left out, because what is in it is not known", () => {
  const redacted = new Redactor(key).entry(entry({ body: '{"debtor":{"name":"Maria' }));
  expect(redacted.request.postData?.text).toBe("");
});

test("a card, its code and a secret are replaced where a name says so, also twice, escaped or in a form", () => {
  const redactor = new Redactor(key);
  const number = "4539578763621486";
  const bodies = [
    `{"card": {"number": "${number}", "number": "1", "cvv": "9182", "cvv": 1}}`,
    `{"pan": "\\u0034539 5787-6362 1486", "cardNumber": 4539578763621486, "Client_Secret": "s3cret-1"}`,
    `{"card": [${number}, ["${number}"], {"number": "${number}"}], "other": {"securityCode": 9182}}`,
    `card=${number}&x-api-key=s3cret-1&cvc=9182`,
    `--b\r\nContent-Disposition: form-data; name="client_assertion"\r\n\r\ns3cret-1\r\n--b\r\nContent-Disposition: form-data; name="pan"\r\n\r\n${number}\r\n--b--`,
    `number ${number}`,
  ];
  for (const body of bodies) {
    const requestHeaders = [
      { name: "X-Amz-Security-Token", value: "s3cret-1" },
      { name: "Api-Key", value: "s3cret-1" },
      { name: "x-card", value: number },
    ];
    const url = `https://api.platform.example/cards?x_auth_token=s3cret-1&pan=${number}`;
    const text = JSON.stringify(redactor.entry(entry({ url, requestHeaders, body })));
    expect(text.replaceAll(/[ -]/g, "")).not.toContain("5787636214");
    expect(text).not.toContain("s3cret");
    expect(text).not.toContain("9182");
  }
});

test("a number that looks like a card's stays in any other place", () => {
  const number = "4539578763621486";
  const body = `{"externalId":"${number}","note":"IMEI ${number}","link":"token=${number}","list":[${number}]}`;
  const url = `https://api.platform.example/orders/${number}?externalId=${number}`;
  const sent = entry({ url, requestHeaders: [{ name: "idempotency-key", value: number }], body });
  expect(new Redactor(key).entry(sent)).toEqual(sent);
});
