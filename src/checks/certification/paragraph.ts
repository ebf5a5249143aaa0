import type { Capability } from "./capabilities.ts";
import type { Certificate } from "./certificate.ts";
import { english } from "./english.ts";
import type { PartVerdict } from "./counted.ts";
import { portuguese } from "./portuguese.ts";
import type { Words } from "./words.ts";

const WORDS: Readonly<Record<Certificate["language"], Words>> = { en: english, "pt-BR": portuguese };

/** Returns the words of the document in a language. */
export function wordsOf(language: Certificate["language"]): Words {
  return WORDS[language];
}

/** Summarises the certificate for a reader who does not know the details. */
export function managersParagraph(certificate: Certificate): string {
  const { language, partner, date, capabilities, parts, missing, versions } = certificate;
  const words = wordsOf(language);
  const having = (verdict: PartVerdict): string[] => [
    ...new Set(parts.flatMap((part) => (part.verdict === verdict ? [words.parts[part.name]] : []))),
  ];
  const failed = having("failed");
  const sentences = words.paragraph({
    partner,
    date,
    scope: scopeText(capabilities, words),
    version: versions["sandbank"] ?? "",
    passed: having("passed").filter((name) => !failed.includes(name)),
    failed,
    open: having("not-judged").filter((name) => !failed.includes(name)),
    missing: missing.length,
  });
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** Returns the subject of the integration in words. */
export function scopeText(capabilities: readonly Capability[], words: Words): string {
  return capabilities.length === 0
    ? words.all
    : capabilities.map((one) => words.capabilities[one]).join(", ");
}
