/** A prompt that an agent's user picks. Its arguments are all texts. */
interface Prompt {
  readonly title: string;
  readonly description: string;
  readonly args: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly textOf: (args: Readonly<Record<string, string | undefined>>) => string;
}

const RULES = [
  "If the answer to a payout is lost, repeat the payout with the same idempotency-key. A new key pays twice.",
  "Verify X-Signature-SHA256 over the received bytes, in constant time, before you parse them.",
  "Store an event before you answer 2xx. Handle each event once, even if copies arrive at the same moment.",
  "Compare updatedAt or occurredAt, and apply only the newer state. The last arrival may be an older state.",
  "Amounts are decimal texts. Dates are days in America/Sao_Paulo.",
]
  .map((rule) => `- ${rule}`)
  .join("\n");

/** The prompts by their name. */
export const prompts: Readonly<Record<string, Prompt>> = {
  integrate: {
    title: "Integrate with the platform",
    description: "Write a client and a webhook receiver, and try every step in the sandbox",
    args: {
      goal: "The purpose of the integration, such as: charge members monthly",
      language: "Programming language of the project",
    },
    required: ["goal"],
    textOf: ({ goal = "", language }) =>
      `Integrate this project${language === undefined ? "" : ` (${language})`} with the platform that sandbank simulates. The goal: ${goal}

1. Call \`describe\` with \`what\`: operations, events and acts. Choose the operations and events that the goal needs. \`describe\` each by name to see its schema and an example.
2. Play the story once with \`call\`, \`act\` and \`advance\`. Play its failures with \`plan\`. Read \`deliveries\`. Then write the client and the receiver for these answers and webhooks.
3. Keep these rules:
${RULES}
4. Start the receiver, and run \`check_receiver\` with a probe: a URL that shows the receiver's state as JSON. Fix the cause of each failed check. Do not change the check.
5. Run \`explore\` with a scenario of the story, and fix the receiver until the scenario converges. Store the scenario in the project as a test, and run it with \`run_scenario\`.`,
  },
  "debug-webhook": {
    title: "Find out what went wrong with a webhook",
    description: "Find the cause from a webhook or an object, and write a test that fails without the fix",
    args: {
      id: "The id of the object or of the delivery",
      symptom: "The visible problem, such as: the order stays PENDING in our database",
    },
    required: ["symptom"],
    textOf: ({ id, symptom = "" }) =>
      `Find the cause of this: ${symptom}

1. ${id === undefined ? "`deliveries` and `resources` show all webhooks and objects: find the object of this problem." : `\`why\` of ${id} shows the history of its state. \`deliveries\` with that object shows its webhooks.`}
2. Read every attempt: its status, the error, the injected faults, and the time between attempts. \`requests\` shows the client's calls in that time. Compare the body with \`describe\` of the event.
3. Usual causes: the signature is computed over parsed JSON; the secret was rotated; an event is handled twice; an older event overwrites a newer state; the answer takes longer than ten seconds; the receiver answers 2xx before it stores the event; an unknown event is refused.
4. Reproduce the problem with a \`fault\` on webhooks (\`describe\` with \`what\`: effects), or with the one check of \`check_receiver\` that fits.
5. Fix the cause in the code, write a scenario that fails without the fix, and run it with \`run_scenario\`.`,
  },
  "write-scenario": {
    title: "Write a scenario",
    description: "Turn a story into a scenario file that is a regression test",
    args: {
      story:
        "The story in your words, such as: the first settlement fails, the second one pays, a week later it is refunded",
    },
    required: ["story"],
    textOf: ({ story = "" }) =>
      `Write a scenario file of sandbank for this story: ${story}

1. Call \`describe\` with \`what\`: operations, acts, plans, effects, events, fixtures and assumptions. Use only these names.
2. Start with \`name\` and \`steps\`. A step is one of call, act, plan, fault, advance, receiver, request, expect. A body can start from a fixture (\`{$use: subscription.monthly, externalId: gym-1}\`). \`save: sub\` keeps an answer, and \`\${sub.id}\` reads it.
3. Time passes only by \`advance\`. Plan the answers of payers and banks before they are due.
4. Expect the results that a partner sees: webhooks in their order, the resource, the balance, \`ledger: balanced\`. Save ids and read them from there. Never copy them.
5. Call \`run_scenario\` with the text. The message of a mistake names the line and the nearest word. A failed expectation shows the difference. Change one expectation to a wrong value once, and see that it fails.
6. Write the file into the project's folder of scenarios.`,
  },
};
