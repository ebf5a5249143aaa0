import type { Certificate, CertifiedPart, PartVerdict } from "./certificate.ts";
import { ENGLISH, type PageWords } from "../../reports/page.ts";

type PartName = CertifiedPart["name"];

interface Words {
  readonly title: Readonly<Record<PartVerdict, string>>;
  readonly verdicts: Readonly<Record<PartVerdict, string>>;
  readonly parts: Readonly<Record<PartName, string>>;
  readonly of: (partner: string) => string;
  readonly checked: string;
  readonly missing: string;
  readonly nothing: string;
  readonly how: string;
  readonly repeat: string;
  readonly secret: string;
  readonly columns: readonly [part: string, verdict: string, result: string];
  readonly page: PageWords;
  readonly factColumns: readonly [what: string, value: string];
  readonly facts: Readonly<Record<"partner" | "date" | "scope", string>>;
  readonly all: string;
  /** Returns the sentences of the paragraph for a manager. Empty sentences are left out. */
  readonly paragraph: (told: Told) => readonly string[];
}

interface Told {
  readonly partner: string | undefined;
  readonly date: string;
  readonly scope: string;
  readonly version: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly open: readonly string[];
  readonly missing: number;
}

const WORDS: Readonly<Record<Certificate["language"], Words>> = {
  en: {
    title: {
      passed: "The integration has passed",
      failed: "The integration has failed",
      "not-judged": "The integration has not been judged",
    },
    verdicts: { passed: "passed", failed: "failed", "not-judged": "not judged" },
    parts: {
      receiver: "Webhook receiver",
      explore: "Webhooks in every order",
      scenarios: "Scenarios",
      contracts: "Contracts",
      doubt: "Tests in doubt",
      books: "Books",
      client: "Client",
    },
    of: (partner) => `Partner: ${partner}`,
    checked: "What was checked",
    missing: "Missing for a complete integration",
    nothing: "Nothing.",
    how: "How it was checked",
    repeat: "Repeat it",
    secret: "The webhook secret comes from SANDBANK_WEBHOOK_SECRET.",
    columns: ["Part", "Verdict", "Result"],
    page: ENGLISH,
    factColumns: ["What", "Value"],
    facts: { partner: "partner", date: "date", scope: "scope" },
    all: "the whole interface",
    paragraph: ({ partner, date, scope, version, passed, failed, open, missing }) => [
      `The integration of ${partner ?? "the partner"} with the payments platform was checked on ${date} against sandbank ${version}, a simulation of the platform without real money. The scope is ${scope}.`,
      passed.length > 0 ? `These parts work as required: ${passed.join(", ")}.` : "",
      failed.length > 0
        ? `These parts have mistakes that can lose or double money or messages. Fix them before the integration goes live: ${failed.join(", ")}.`
        : "",
      open.length > 0
        ? `These parts could not be judged, so their state is unknown: ${open.join(", ")}.`
        : "",
      missing > 0
        ? `${missing} points are missing for a complete integration. They are listed and do not change the result.`
        : "",
    ],
  },
  "pt-BR": {
    title: {
      passed: "A integração foi aprovada",
      failed: "A integração foi reprovada",
      "not-judged": "A integração não foi avaliada por completo",
    },
    verdicts: { passed: "aprovado", failed: "reprovado", "not-judged": "não avaliado" },
    parts: {
      receiver: "Receptor de webhooks",
      explore: "Webhooks em qualquer ordem",
      scenarios: "Cenários",
      contracts: "Contratos",
      doubt: "Testes sob dúvida",
      books: "Livros contábeis",
      client: "Cliente da API",
    },
    of: (partner) => `Parceiro: ${partner}`,
    checked: "O que foi verificado",
    missing: "O que falta para uma integração completa",
    nothing: "Nada.",
    how: "Como foi verificado",
    repeat: "Como repetir",
    secret: "O segredo do webhook vem de SANDBANK_WEBHOOK_SECRET.",
    columns: ["Parte", "Resultado", "Resumo"],
    page: {
      passed: (count) => `${count} ${count === 1 ? "aprovado" : "aprovados"}`,
      others: (count) => `Outros: ${count}`,
      sameCause: (count) => `A mesma causa em mais ${count}`,
      columns: ["O quê", "Resultado", "Motivo"],
    },
    factColumns: ["O quê", "Valor"],
    facts: { partner: "parceiro", date: "data", scope: "escopo" },
    all: "a interface inteira",
    paragraph: ({ partner, date, scope, version, passed, failed, open, missing }) => [
      `A integração ${partner === undefined ? "do parceiro" : `de ${partner}`} com a plataforma de pagamentos foi verificada em ${date} com o sandbank ${version}, uma simulação da plataforma que não movimenta dinheiro real. O escopo é: ${scope}.`,
      passed.length > 0 ? `Estas partes funcionam como exigido: ${passed.join(", ")}.` : "",
      failed.length > 0
        ? `Estas partes têm erros que podem perder ou duplicar dinheiro ou mensagens e precisam ser corrigidas antes da entrada em produção: ${failed.join(", ")}.`
        : "",
      open.length > 0
        ? `Estas partes não puderam ser avaliadas, e seu estado é desconhecido: ${open.join(", ")}.`
        : "",
      missing > 0
        ? `Faltam ${missing} itens para uma integração completa. Eles estão listados e não alteram o resultado.`
        : "",
    ],
  },
};

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
    scope: capabilities.length === 0 ? words.all : capabilities.join(", "),
    version: versions["sandbank"] ?? "",
    passed: having("passed").filter((name) => !failed.includes(name)),
    failed,
    open: having("not-judged").filter((name) => !failed.includes(name)),
    missing: missing.length,
  });
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
