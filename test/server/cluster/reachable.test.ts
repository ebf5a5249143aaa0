import { expect, test } from "vitest";
import type { NetworkInterfaceInfo } from "node:os";
import { reachable } from "../../../src/server/cluster/open-shared-worlds.ts";
import { SILENCE } from "../../../src/base/log.ts";

/** The address of an interface of this machine. */
function address(text: string): NetworkInterfaceInfo {
  const family = text.includes(":") ? "IPv6" : "IPv4";
  const internal = ["127.0.0.1", "::1"].includes(text);
  return { address: text, family, internal, netmask: "", mac: "", cidr: null } as NetworkInterfaceInfo;
}

test.each([
  ["http://0.0.0.0:4010", ["127.0.0.1", "10.1.2.3", "fd00::5"], "http://10.1.2.3:4010", 0],
  ["http://[::]:4010", ["127.0.0.1", "fe80::1", "fd00::5"], "http://[fd00::5]:4010", 0],
  ["http://[::]:4010", ["::1", "fd00::5", "10.1.2.3"], "http://10.1.2.3:4010", 0],
  ["http://0.0.0.0:4010", ["127.0.0.1", "169.254.1.1", "fd00::5"], "http://127.0.0.1:4010", 1],
  ["http://[::]:4010", ["::1", "fe80::1"], "http://[::1]:4010", 1],
  ["http://127.0.0.1:4010", ["10.1.2.3"], "http://127.0.0.1:4010", 0],
])("a server at %s with the addresses %s is reached at %s", (listening, addresses, url, warnings) => {
  const warned: string[] = [];
  const log = { ...SILENCE, warn: (_fields: object, sentence: string) => void warned.push(sentence) };
  expect(reachable(listening, log, { all: addresses.map(address) })).toBe(url);
  expect(warned).toHaveLength(warnings);
});
