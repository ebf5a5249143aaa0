/** A prompt that an agent's user picks. Its arguments are all texts. */
interface Prompt {
  readonly title: string;
  readonly description: string;
  readonly args: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly textOf: (args: Readonly<Record<string, string | undefined>>) => string;
}

const RULES = [
  "Repeat a payout whose answer was lost with the same idempotency-key: a new key pays twice.",
  "Verify X-Signature-SHA256 over the bytes that arrived, in constant time, before they are parsed.",
  "Store an event before you answer 2xx; handle each event once, also when copies come at the same moment.",
  "Apply what is newer by updatedAt or occurredAt; the last arrival is not the latest state.",
  "Amounts are decimal texts. Dates are those of America/Sao_Paulo.",
]
  .map((rule) => `- ${rule}`)
  .join("\n");

/** The prompts by their name. */
export const prompts: Readonly<Record<string, Prompt>> = {
  integrate: {
    title: "Integrate with the platform",
    description: "Write a client and a webhook receiver, and try every step in the sandbox",
    args: {
      goal: "What the integration has to do, such as: charge members monthly",
      language: "Programming language of the project",
    },
    required: ["goal"],
    textOf: ({ goal = "", language }) =>
      `Integrate this project${language === undefined ? "" : ` (${language})`} with the platform that sandbank simulates. The goal: ${goal}

1. \`describe\` what: operations, events and acts. Choose the operations and events that the goal needs, and \`describe\` each by name for its schema and an example.
2. Play the story once with \`call\`, \`act\` and \`advance\`, the failures too (\`plan\`), and look at \`deliveries\`. Write the client and the receiver after what you saw.
3. Keep these rules:
${RULES}
4. Start the receiver, and run \`check_receiver\` with a probe that shows its state as JSON. Fix what fails by its cause; do not change the check.
5. Run \`explore\` with a scenario of the story until it converges. Then write the scenario into the project with \`run_scenario\` as its test.`,
  },
  "debug-webhook": {
    title: "Find out what went wrong with a webhook",
    description: "From a webhook or an object to the cause, and to a test that fails without the fix",
    args: {
      id: "The id of the object or of the delivery",
      symptom: "What is wrong, such as: the order stays PENDING in our database",
    },
    required: ["symptom"],
    textOf: ({ id, symptom = "" }) =>
      `Find the cause of this: ${symptom}

1. ${id === undefined ? "`deliveries` and `resources` show what there is: find the object that it is about." : `\`why\` of ${id} shows what led to its state, and \`deliveries\` with that object its webhooks.`}
2. Read every attempt: its status, the error, what was injected, and the time between attempts. \`requests\` shows what the client called meanwhile. Compare the body with \`describe\` of the event.
3. Usual causes: the signature is computed over parsed JSON; the secret was rotated; an event is handled twice; an older event overwrites a newer state; the answer takes longer than ten seconds; 2xx before the event is stored; an unknown event is refused.
4. Repeat it: a \`fault\` on webhooks (\`describe\` what: effects) or \`check_receiver\` with only the check that fits.
5. Fix the cause in the code, write a scenario that fails without the fix, and run it with \`run_scenario\`.`,
  },
  "write-scenario": {
    title: "Write a scenario",
    description: "Turn a story into a scenario file that is a regression test",
    args: {
      story:
        "What happens, such as: the first settlement fails, the second one pays, a week later it is refunded",
    },
    required: ["story"],
    textOf: ({ story = "" }) =>
      `Write a scenario file of sandbank for this story: ${story}

1. \`describe\` what: operations, acts, plans, effects, events, fixtures and assumptions; use only these names.
2. Start with \`name\` and \`steps\`. A step is one of call, act, plan, fault, advance, receiver, request, expect. Bodies start from a fixture (\`{$use: subscription.monthly, externalId: gym-1}\`), \`save: sub\` keeps an answer, \`\${sub.id}\` reads it.
3. Time passes only by \`advance\`. Plan what payers and banks answer before it is due.
4. Expect what a partner would notice: webhooks in their order, the resource, the balance, \`ledger: balanced\`. Never copy ids: save them.
5. \`run_scenario\` with the text. A mistake names the line and the nearest word; a failed expectation shows the difference. Break one expectation once to see it fail.
6. Write the file into the project's folder of scenarios.`,
  },
};
