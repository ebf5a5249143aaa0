import { expect, test } from "vitest";

import {
  createEgress,
  addressDecision,
  targetDecision,
  urlDecision,
} from "../../../src/simulator/webhooks/egress-guard.ts";

/** Each address with what the two modes say to it: `yes` or the word its refusal must carry. */
const ADDRESSES: ReadonlyArray<readonly [ip: string, local: string, hosted: string]> = [
  // Public.
  ["8.8.8.8", "yes", "yes"],
  ["1.1.1.1", "yes", "yes"],
  ["172.15.255.255", "yes", "yes"],
  ["172.32.0.0", "yes", "yes"],
  ["100.63.255.255", "yes", "yes"],
  ["100.128.0.1", "yes", "yes"],
  ["168.63.129.15", "yes", "yes"],
  ["223.255.255.255", "yes", "yes"],
  ["2606:4700:4700::1111", "yes", "yes"],
  ["2a00:1450:4001::1", "yes", "yes"],
  ["::ffff:8.8.8.8", "yes", "yes"],
  ["::ffff:808:808", "yes", "yes"],
  ["64:ff9b::8.8.8.8", "yes", "yes"],
  ["2002:808:808::1", "yes", "yes"],
  // Near: this machine and the networks around it.
  ["127.0.0.1", "yes", "loopback"],
  ["127.255.255.254", "yes", "loopback"],
  ["::1", "yes", "loopback"],
  ["::ffff:127.0.0.1", "yes", "loopback"],
  ["::ffff:7f00:1", "yes", "loopback"],
  ["10.0.0.1", "yes", "private"],
  ["172.16.0.1", "yes", "private"],
  ["172.31.255.255", "yes", "private"],
  ["192.168.1.1", "yes", "private"],
  ["::ffff:10.0.0.1", "yes", "private"],
  ["100.64.0.1", "yes", "carrier-grade NAT"],
  ["100.127.255.255", "yes", "carrier-grade NAT"],
  ["fc00::1", "yes", "unique-local"],
  ["fd12:3456:789a::1", "yes", "unique-local"],
  // Metadata services.
  ["169.254.169.254", "link-local", "link-local"],
  ["169.254.170.2", "link-local", "link-local"],
  ["::ffff:169.254.169.254", "link-local", "link-local"],
  ["168.63.129.16", "metadata", "metadata"],
  ["::ffff:168.63.129.16", "metadata", "metadata"],
  ["100.100.100.200", "metadata", "metadata"],
  ["192.0.0.192", "metadata", "metadata"],
  ["fd00:ec2::254", "metadata", "metadata"],
  ["fd00:0ec2:0:0:0:0:0:254", "metadata", "metadata"],
  ["fd00:ec2::254%1", "metadata", "metadata"],
  ["fd20:ce::254", "metadata", "metadata"],
  // Link-local, unspecified, multicast, broadcast.
  ["169.254.0.1", "link-local", "link-local"],
  ["fe80::1", "link-local", "link-local"],
  ["fe80::1%eth0", "link-local", "link-local"],
  ["febf::1", "link-local", "link-local"],
  ["0.0.0.0", "unspecified", "unspecified"],
  ["0.1.2.3", "unspecified", "unspecified"],
  ["::", "unspecified", "unspecified"],
  ["::ffff:0.0.0.0", "unspecified", "unspecified"],
  ["224.0.0.1", "multicast", "multicast"],
  ["239.255.255.255", "multicast", "multicast"],
  ["ff02::1", "multicast", "multicast"],
  ["255.255.255.255", "broadcast", "broadcast"],
  // Reserved and for documentation.
  ["192.0.0.1", "reserved", "reserved"],
  ["192.0.2.1", "reserved", "reserved"],
  ["192.88.99.1", "reserved", "reserved"],
  ["198.18.0.1", "reserved", "reserved"],
  ["198.19.255.255", "reserved", "reserved"],
  ["198.51.100.1", "reserved", "reserved"],
  ["203.0.113.1", "reserved", "reserved"],
  ["240.0.0.1", "reserved", "reserved"],
  ["192.52.193.1", "reserved", "reserved"],
  ["192.175.48.1", "reserved", "reserved"],
  ["100::1", "reserved", "reserved"],
  ["2001:db8::1", "reserved", "reserved"],
  ["2001:2::1", "reserved", "reserved"],
  ["2001:10::1", "reserved", "reserved"],
  ["2001:20::1", "reserved", "reserved"],
  ["3fff::1", "reserved", "reserved"],
  ["5f00::1", "reserved", "reserved"],
  ["fec0::1", "reserved", "reserved"],
  // IPv4 carried in IPv6.
  ["::7f00:1", "reserved", "reserved"],
  ["::127.0.0.1", "reserved", "reserved"],
  ["::8.8.8.8", "reserved", "reserved"],
  ["::ffff:0:127.0.0.1", "reserved", "reserved"],
  ["64:ff9b::7f00:1", "loopback", "loopback"],
  ["64:ff9b::10.0.0.1", "private", "private"],
  ["64:ff9b::169.254.169.254", "link-local", "link-local"],
  ["64:ff9b::168.63.129.16", "metadata", "metadata"],
  ["64:ff9b:1::7f00:1", "reserved", "reserved"],
  ["2002:7f00:1::1", "loopback", "loopback"],
  ["2002:a00:1::", "private", "private"],
  ["2002:a9fe:a9fe::", "link-local", "link-local"],
  ["2001::7f00:1", "Teredo", "Teredo"],
  // Outside 2000::/3, where nothing public is assigned.
  ["4000::1", "reserved", "reserved"],
  ["8000::1", "reserved", "reserved"],
  ["1fff::1", "reserved", "reserved"],
  ["e000::1", "reserved", "reserved"],
  // Not addresses.
  ["", "not an IP", "not an IP"],
  ["localhost", "not an IP", "not an IP"],
  ["0x7f.1", "not an IP", "not an IP"],
  ["2130706433", "not an IP", "not an IP"],
  ["127.1", "not an IP", "not an IP"],
  ["0177.0.0.1", "not an IP", "not an IP"],
  ["1.2.3.4.5", "not an IP", "not an IP"],
  ["[::1]", "not an IP", "not an IP"],
];

test.each(ADDRESSES)("%s: local says %s, hosted says %s", (ip, local, hosted) => {
  expect(wordOf(addressDecision(ip, "local"))).toContain(local);
  expect(wordOf(addressDecision(ip, "hosted"))).toContain(hosted);
});

test("in hosted mode the allow-list opens private addresses, mapped spellings too, and no others", () => {
  const allowList = ["10.1.0.0/16", "192.168.7.7", "fd12::/32"];
  const listed = ["10.1.2.3", "::ffff:10.1.2.3", "192.168.7.7", "fd12:0:1::1"];
  const unlisted = ["10.2.0.1", "192.168.7.8", "fd13::1", "127.0.0.1"];
  expect([...listed, ...unlisted].filter((ip) => addressDecision(ip, "hosted", allowList).allowed)).toEqual(
    listed,
  );
});

test("no allow-list opens metadata, link-local, multicast or reserved addresses", () => {
  const everything = ["0.0.0.0/0", "::/0"];
  const addresses = [
    "169.254.169.254",
    "168.63.129.16",
    "fd00:ec2::254",
    "fe80::1",
    "224.0.0.1",
    "::7f00:1",
    "0.0.0.0",
  ];
  expect(addresses.filter((ip) => addressDecision(ip, "hosted", everything).allowed)).toEqual([]);
});

test("an allow-list entry that is neither an address nor a range is an error that names it", () => {
  expect(() => createEgress({ allowList: ["10.0.0.0/8", "10.0.0.0/33"] })).toThrow(
    /"10\.0\.0\.0\/33" is neither/u,
  );
  expect(() => createEgress({ allowList: ["example.com"] })).toThrow(/"example\.com" is neither/u);
});

test("every spelling of this machine is refused on the sandbox's own port, and allowed on others", () => {
  const egress = createEgress({ forbiddenPorts: new Set([4010]) });
  const spellings = [
    "127.0.0.1",
    "127.9.9.9",
    "127.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
  ];
  const refusal = { allowed: false, reason: "port 4010 of this machine is the sandbox itself" };
  for (const host of spellings) {
    expect({ host, ...urlDecision(new URL(`http://${host}:4010/sandbox/reset`), egress) }).toEqual({
      host,
      ...refusal,
    });
    expect({ host, ...urlDecision(new URL(`http://${host}:4011/hook`), egress) }).toEqual({
      host,
      allowed: true,
    });
  }
  expect(urlDecision(new URL("http://10.99.98.97:4010/"), egress)).toEqual({ allowed: true });
});

test("the default port of the scheme counts as the port", () => {
  const egress = createEgress({ forbiddenPorts: new Set([80, 443]) });
  expect(urlDecision(new URL("http://127.0.0.1/hook"), egress).allowed).toBe(false);
  expect(urlDecision(new URL("https://127.0.0.1/hook"), egress).allowed).toBe(false);
  expect(targetDecision("127.0.0.1", 8080, egress).allowed).toBe(true);
});

test("a port that opens later is refused from then on", () => {
  const forbiddenPorts = new Set<number>();
  const egress = createEgress({ forbiddenPorts });
  expect(urlDecision(new URL("http://127.0.0.1:4010/"), egress).allowed).toBe(true);
  forbiddenPorts.add(4010);
  expect(urlDecision(new URL("http://127.0.0.1:4010/"), egress).allowed).toBe(false);
});

test.each([
  ["file:///etc/passwd", "only http and https"],
  ["ftp://example.com/", "only http and https"],
  ["gopher://127.0.0.1:6379/_", "only http and https"],
  ["javascript:alert(1)", "only http and https"],
  ["http://user@example.com/", "user name"],
  ["http://user:password@example.com/", "user name"],
  ["http://:password@example.com/", "user name"],
  ["not a url", "not a URL"],
  ["", "not a URL"],
  ["/hook", "not a URL"],
  ["http://", "not a URL"],
  ["http://[::127.0.0.1]/", "reserved"],
  ["http://[::ffff:169.254.169.254]/", "link-local"],
  ["http://0xa9fea9fe/", "link-local"],
  ["http://0/", "unspecified"],
  ["http://[fe80::1]/", "link-local"],
])("the URL %s is refused: %s", (url, word) => {
  expect(wordOf(urlDecision(URL.parse(url), createEgress()))).toContain(word);
});

test("a name is allowed until it is resolved", () => {
  const hosted = createEgress({ mode: "hosted" });
  expect(urlDecision(new URL("https://partner.example/hook?x=1"), hosted)).toEqual({ allowed: true });
  expect(urlDecision(new URL("http://localhost:3000/hook"), hosted)).toEqual({ allowed: true });
});

function wordOf(verdict: ReturnType<typeof addressDecision>): string {
  return verdict.allowed ? "yes" : verdict.reason;
}
