import { isIP } from "node:net";
import { networkInterfaces } from "node:os";

import ipaddr from "ipaddr.js";

/**
 * The allowed targets of webhooks. `local`, for a sandbox on one's own machine: loopback, private, unique-local and
 * carrier-grade NAT addresses and the public internet. `hosted`, for a sandbox that others use: the public internet
 * and the allow-list.
 */
export type EgressMode = "local" | "hosted";

/** The guard's settings. `createEgress` fills in missing settings and refuses an allow-list that it cannot read. */
export interface Egress {
  readonly mode: EgressMode;
  /** CIDR ranges or single addresses that `hosted` allows in addition to the public internet. */
  readonly allowList: readonly string[];
  /** The listening ports of the sandbox, read at each attempt. A webhook must never call the sandbox itself. */
  readonly forbiddenPorts: ReadonlySet<number>;
  /** True if this process runs in a container. There localhost is the container, not the user's machine. */
  readonly isContained?: boolean;
  /** Resolves a name to addresses; default: the system's resolver. */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>;
}

/** A refusal. It names the kind of the address, not the address, because a stranger may read it in `hosted`. */
export interface EgressRefusal {
  readonly allowed: false;
  readonly reason: string;
  /** True if another mode or an allow-list would allow the address. No setting allows the others. */
  readonly isLiftable?: true;
}

export type EgressDecision = { readonly allowed: true } | EgressRefusal;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AddressClass = "public" | "private" | "forbidden";

const ALLOWED: EgressDecision = { allowed: true };
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Addresses of services that return a machine's credentials, in ranges that are otherwise allowed. The link-local
 * ones need no entry: their whole range is refused.
 */
const METADATA: ReadonlySet<string> = new Set(
  ["168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"].map((text) =>
    ipaddr.parse(text).toNormalizedString(),
  ),
);

/** The name of each range in refusals, and its address class. An unlisted range is never allowed. */
const RANGES: Readonly<Record<string, { addressClass: AddressClass; name: string }>> = {
  unicast: { addressClass: "public", name: "a public address" },
  loopback: { addressClass: "private", name: "a loopback address" },
  private: { addressClass: "private", name: "a private address" },
  uniqueLocal: { addressClass: "private", name: "a unique-local address" },
  carrierGradeNat: { addressClass: "private", name: "a carrier-grade NAT address" },
  linkLocal: { addressClass: "forbidden", name: "a link-local address" },
  unspecified: { addressClass: "forbidden", name: "an unspecified address" },
  multicast: { addressClass: "forbidden", name: "a multicast address" },
  broadcast: { addressClass: "forbidden", name: "the broadcast address" },
  teredo: { addressClass: "forbidden", name: "a Teredo address" },
};
const RESERVED = { addressClass: "forbidden", name: "a reserved address" } as const;
const METADATA_RANGE = {
  addressClass: "forbidden",
  name: "the address of a cloud metadata service",
} as const;

const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Returns egress settings with defaults: mode `local`, an empty allow-list and no forbidden port. Throws if an entry of
 * the allow-list is neither an address nor a CIDR range, so a typo cannot change the guard.
 */
export function createEgress(settings: Partial<Egress> = {}): Egress {
  for (const entry of settings.allowList ?? []) {
    if (rangeOf(entry) === undefined) {
      throw new Error(
        `Failed to read the egress allow-list: "${entry}" is neither an address nor a CIDR range. ` +
          "Write it as 10.1.0.0/16, 10.1.2.3 or fd12:3456::/32.",
      );
    }
  }
  return { mode: "local", allowList: [], forbiddenPorts: new Set(), ...settings };
}

/**
 * Decides if one address may be dialled. An unreadable address is refused. Metadata services, link-local,
 * unspecified, multicast and reserved addresses are refused in both modes, and no allow-list opens them.
 */
export function addressDecision(
  ip: string,
  mode: EgressMode,
  allowList: readonly string[] = [],
): EgressDecision {
  if (isIP(ip) === 0) return { allowed: false, reason: "it is not an IP address" };
  const address = read(ip);
  const inner = tunnelled(address);
  // A gateway would send the packet to the inner address from its own network, so that address must be public.
  if (inner !== undefined) return addressDecision(inner.toString(), "hosted", allowList);
  const { addressClass, name } = classOf(address);
  if (addressClass === "public") return ALLOWED;
  if (addressClass === "forbidden") return { allowed: false, reason: `${name} is never a webhook's target` };
  if (mode === "local" || allowList.some((entry) => contains(entry, address))) return ALLOWED;
  return {
    allowed: false,
    reason: `${name} is outside the public internet and not in the egress allow-list`,
    isLiftable: true,
  };
}

/** Decides like `addressDecision`, and refuses the sandbox's own ports on this machine. */
export function targetDecision(ip: string, port: number, egress: Egress): EgressDecision {
  if (egress.forbiddenPorts.has(port) && isThisMachine(ip)) {
    return { allowed: false, reason: `port ${port} of this machine is the sandbox itself` };
  }
  return addressDecision(ip, egress.mode, egress.allowList);
}

/**
 * Decides if a connection to a URL is allowed, without resolving its name. Null means an invalid URL. The URL must be
 * http or https, without user name or password. A literal address must be allowed by `targetDecision`. The URL parser
 * has already turned every spelling of an address (octal, hexadecimal, one number) into its usual spelling.
 */
export function urlDecision(parsed: URL | null, egress: Egress): EgressDecision {
  if (parsed === null) return { allowed: false, reason: "it is not a URL" };
  if (!(parsed.protocol in DEFAULT_PORTS))
    return { allowed: false, reason: "only http and https are supported" };
  if (parsed.username !== "" || parsed.password !== "") {
    return { allowed: false, reason: "it carries a user name or a password" };
  }
  const host = hostOf(parsed);
  return isIP(host) === 0 ? ALLOWED : targetDecision(host, portOf(parsed), egress);
}

/** Returns the host without the brackets of an IPv6 literal, to resolve and dial it. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/** Returns the port of a URL, otherwise the default port of its scheme. */
export function portOf(url: URL): number {
  return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}

/** Returns true for a loopback, private or unique-local address. */
export function isPrivate(ip: string): boolean {
  return addressDecision(ip, "local", []).allowed && !addressDecision(ip, "hosted", []).allowed;
}

function classOf(address: Address): { addressClass: AddressClass; name: string } {
  if (METADATA.has(address.toNormalizedString())) return METADATA_RANGE;
  const range = RANGES[address.range()] ?? RESERVED;
  // The parser calls all unknown addresses unicast, even `::7f00:1` (127.0.0.1 written as IPv6).
  const unassigned =
    address.kind() === "ipv6" && range.addressClass === "public" && !address.match(PUBLIC_IPV6);
  return unassigned ? RESERVED : range;
}

/** Returns the IPv4 address that a NAT64 or 6to4 gateway would dial for this address. Undefined for other addresses. */
function tunnelled(address: Address): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  const bytes = address.toByteArray();
  if (address.match(NAT64)) return new ipaddr.IPv4(bytes.slice(12, 16));
  if (address.range() === "6to4") return new ipaddr.IPv4(bytes.slice(2, 6));
  return undefined;
}

function isThisMachine(ip: string): boolean {
  if (isIP(ip) === 0) return false;
  const address = read(ip);
  if (address.range() === "loopback") return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((entry) => read(entry.address).toNormalizedString() === address.toNormalizedString());
}

/**
 * Returns the dialled address, without its zone. For a mapped address, that is the IPv4 address in it. The address is
 * first written in its usual form, because the parser confuses `::127.0.0.1` with the mapped form.
 */
function read(ip: string): Address {
  if (isIP(ip) === 4) return new ipaddr.IPv4(ip.split(".").map(Number));
  const spelled = new URL(`http://[${ip.replace(/%.*$/u, "")}]/`);
  return ipaddr.process(hostOf(spelled));
}

function contains(entry: string, address: Address): boolean {
  const range = rangeOf(entry);
  return range !== undefined && range[0].kind() === address.kind() && address.match(range);
}

function rangeOf(entry: string): [Address, number] | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (isIP(entry) === 0) return undefined;
  const address = read(entry);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}
