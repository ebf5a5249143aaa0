import type { Counted, MissingPoint } from "./counted.ts";
import { plural } from "../../reports/report.ts";
import type { Words } from "./words.ts";

/** The words of verdicts that the reports of the commands use. */
const LABELS: Readonly<Record<string, string>> = {
  pass: "aprovado",
  passed: "aprovado",
  ok: "aprovado",
  fail: "reprovado",
  failed: "reprovado",
  warn: "aviso",
  advice: "recomendação",
  inconclusive: "inconclusivo",
  undecided: "inconclusivo",
  "not decided": "inconclusivo",
  skipped: "não executado",
  pending: "pendente",
  known: "conhecido",
  accepted: "aceito",
  diverged: "divergiu",
  diverges: "diverge",
  converges: "converge",
  impossible: "impossível",
  noticed: "percebido",
  unnoticed: "não percebido",
  tolerated: "tolerado",
  broke: "quebrou",
  overruled: "substituído",
  "not-tried": "não testado",
  "not-judged": "não avaliado",
  "not-reached": "não alcançado",
  "without-effect": "sem efeito",
};

/** The columns of the tables that the document draws. */
const COLUMNS: Readonly<Record<string, string>> = {
  Operation: "Operação",
  Calls: "Chamadas",
  Answers: "Respostas",
  Refusal: "Recusa",
  Times: "Vezes",
  Event: "Evento",
  Sent: "Enviados",
  Handled: "Tratados",
  Where: "Onde",
  "Your books": "Seus registros",
  "The ledger": "O livro-razão",
};

/** The Portuguese words of the document, as engineers in Brazil use them. */
export const portuguese: Words = {
  title: {
    passed: "A integração foi aprovada",
    failed: "A integração foi reprovada",
    "not-judged": "A integração não foi avaliada por completo",
  },
  verdicts: { passed: "aprovado", failed: "reprovado", "not-judged": "não avaliado" },
  parts: {
    receiver: "Endpoint de webhooks",
    explore: "Webhooks em qualquer ordem",
    scenarios: "Cenários",
    contracts: "Contratos",
    doubt: "Testes sob dúvida",
    books: "Conciliação",
    client: "Cliente da API",
  },
  capabilities: {
    accounts: "contas",
    charges: "cobranças",
    claims: "reivindicações de chaves Pix",
    orders: "pedidos",
    payouts: "pagamentos a terceiros",
    refunds: "reembolsos",
    subscriptions: "recorrências",
    webhooks: "configuração de webhooks",
  },
  of: (partner) => `Parceiro: ${partner}`,
  checked: "O que foi verificado",
  missing: "O que falta para uma integração completa",
  nothing: "Nada.",
  how: "Como foi verificado",
  repeat: "Como repetir",
  secret: "O segredo da assinatura HMAC dos webhooks vem de SANDBANK_WEBHOOK_SECRET.",
  findings: "Os detalhes das partes abaixo estão em inglês, como os comandos os escrevem.",
  columns: ["Parte", "Resultado", "Resumo"],
  page: {
    passed: (count) => `${count} ${count === 1 ? "aprovado" : "aprovados"}`,
    others: (count) => `Outros: ${count}`,
    sameCause: (count) => `A mesma causa em mais ${count}`,
    columns: ["O quê", "Resultado", "Motivo"],
    label: (label) => LABELS[label] ?? label,
    column: (column) => COLUMNS[column] ?? column,
    language: "pt-BR",
    findings: "en",
  },
  factColumns: ["O quê", "Valor"],
  facts: {
    partner: "parceiro",
    date: "data",
    scope: "escopo",
    seed: "semente",
    digest: "resumo SHA-256",
  },
  all: "toda a API da plataforma",
  summary: summaryOf,
  missingPoint,
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
      ? `${missing === 1 ? "Falta 1 item" : `Faltam ${missing} itens`} para uma integração completa. ${missing === 1 ? "Ele está listado e não altera" : "Eles estão listados e não alteram"} o resultado.`
      : "",
  ],
};

const NOUNS = {
  check: { one: "verificação", many: "verificações", isFeminine: true },
  scenario: { one: "cenário", many: "cenários", isFeminine: false },
  interaction: { one: "interação", many: "interações", isFeminine: true },
} as const;

function summaryOf(counted: Counted): string {
  switch (counted.of) {
    case "schedules":
      return `${plural(counted.tried, "sequência testada", "sequências testadas")}, ${plural(counted.diverged, "divergiu", "divergiram")}.`;
    case "mutants":
      return `${plural(counted.run, "mutante executado", "mutantes executados")}, ${plural(counted.broke, "quebrou", "quebraram")} os testes, ${plural(counted.unnoticed, "passou despercebido", "passaram despercebidos")}.`;
    case "books":
      return `Comparação com o livro-razão em ${plural(counted.moments, "momento", "momentos")} sem atividade, ${plural(counted.differences, "diferença", "diferenças")}.`;
    case "client": {
      const { operations, refused, events } = counted;
      return `${operations.join(" de ")} operações chamadas, ${refused.join(" de ")} chamadas recusadas; ${events.join(" de ")} eventos tratados.`;
    }
    case "nothing":
      return "Não foi executada.";
    case "check":
    case "scenario":
    case "interaction":
      return resultText(counted);
  }
}

function resultText({
  of,
  passed,
  failed,
  undecided,
  all,
}: Extract<Counted, { readonly passed: number }>): string {
  const { one, many, isFeminine } = NOUNS[of];
  const total = plural(all, one, many);
  const ending = (count: number): string => `${isFeminine ? "a" : "o"}${count === 1 ? "" : "s"}`;
  if (failed > 0) return `${failed} de ${total} reprovad${ending(failed)}.`;
  if (undecided > 0) return `${undecided} de ${total} sem avaliação.`;
  if (passed === all) return `${total} aprovad${ending(all)}.`;
  return `${passed} de ${total} aprovad${ending(passed)}.`;
}

const NOT_SHOWN = {
  explore: "Nenhum cenário foi explorado. Explore um com --explore FILE.",
  scenarios: "Nenhum cenário foi executado. Execute-os com --scenarios DIR.",
  contracts: "Nenhum contrato foi verificado. Verifique-os com --pacts DIR.",
  receiver: "O endpoint de webhooks não foi verificado. Verifique-o com --receiver URL.",
  client: "As chamadas do cliente não foram verificadas. Informe com --target URL o sandbox que ele chamou.",
};

function missingPoint(point: MissingPoint): string {
  if ("part" in point) return NOT_SHOWN[point.part];
  if ("operation" in point) return `O cliente nunca chamou ${point.operation}.`;
  if ("event" in point) return `O endpoint nunca tratou ${point.event}.`;
  if ("refusal" in point) return "O cliente não teve nenhuma chamada recusada.";
  return `Os testes não percebem este comportamento: ${point.unnoticed}`;
}
