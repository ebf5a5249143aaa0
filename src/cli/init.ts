import { print } from "./standard-streams.ts";
import { command } from "./command.ts";
import { text, toggle } from "./flags.ts";
import { CommandFailure } from "../base/failures.ts";
import { type Project, firstTest, programRunner, readProject } from "./init-test.ts";
import { makeFolder, unwritable } from "./output.ts";
import { existsSync } from "node:fs";
import { foldersAbove } from "../base/package.ts";
import { dirname, join, relative, resolve } from "node:path";
import { createUserFile, replaceUserFile } from "../base/user-file.ts";
import { type Section, withMembers } from "./package-members.ts";

const flags = {
  folder: text("Folder of your project", { isArgument: true, default: "." }),
  fixtures: toggle("Write only a folder `fixtures` with a company of your own", { default: false }),
  contracts: toggle("Also add the Pact library to the devDependencies of the project", { default: false }),
  scripts: toggle("Also add scripts to the package.json of the project", { default: false }),
};

const CONFIGURATION = `
# The settings of \`sandbank serve\`. \`sandbank config\` shows the value and the source of each setting.

# Time passes only when the clock is advanced. The same seed gives the same ids.
frozen: true
start: 2026-11-23T09:00:00-03:00
seed: 7

# The URL for all webhooks:
# webhook-url: http://127.0.0.1:3000/webhooks

# Your system, for \`sandbank receiver check\`, \`explore\`, \`certify\` and \`run --receiver\`:
# checks:
#   receiver: http://127.0.0.1:3000/webhooks
#   probe: http://127.0.0.1:3000/state
#   reset: http://127.0.0.1:3000/reset

# Your choices for open points of the platform API. \`sandbank assumptions\` lists them:
# assumptions:
#   charge.resend-delay: PT20M
`;

const SCENARIO = `
name: A member pays the first monthly charge
seed: 7
start: 2026-11-23T09:00:00-03:00
steps:
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: member-1 }
    save: subscription
    expect: { status: 201, body: { status: PENDING_AUTHORIZATION } }
  - act: subscription.accept
    on: \${subscription.id}
  - call: createScheduledPayment
    path: { id: "\${subscription.id}" }
    body: { externalId: charge-1, dueDate: "2026-11-27", amount: { currency: BRL, value: "59.90" } }
    save: charge
    expect: { body: { status: PENDING } }
  - advance: { to: "2026-11-27T21:00:00-03:00" }
  - expect:
      resource: { collection: scheduled-payments, id: "\${charge.id}", is: { status: COMPLETED } }
      webhooks:
        - { event: SUBSCRIPTION.ACCEPTED }
        - { event: SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED }
        - { event: SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED, data: { id: "\${charge.id}" } }
      ledger: balanced
`;

/** A company with one account. Everything else stays as shipped. */
const COMPANIES = `
# Your own companies and accounts. \`sandbank fixtures check fixtures\` checks this folder, and
# \`sandbank serve --fixtures fixtures\` uses it. Further files have the same form: pix-keys.yaml, known-payers.yaml,
# cards.yaml, deposit-banks.yaml, people.yaml and bodies.yaml. A missing file is the shipped one.

# With this line, the shipped companies stay, and an entry with one of their ids replaces it:
# extends: shipped

companies:
  - id: my-company # \`as: my-company\` in scenarios. Default: the name in lower case.
    name: My Company LTDA
    token: my-token # An access token that never expires.
    clientId: my-company # Default: the id.
    clientSecret: my-client-secret # Default: drawn from the seed.
    webhook:
      url: null # The URL of your webhook endpoint. --webhook-url overrides it.
      secret: my-webhook-secret
    accounts:
      - id: 44444444-4444-4444-8444-444444444444 # Default: drawn from the seed.
        status: ACTIVE
        holderType: ORGANIZATION
        fullName: My Company LTDA
        email: finance@my-company.example
        phone: "+5511987650099"
        # Numbers stand in quotes. The check digits must be right.
        document: { type: CNPJ, number: "11444777000161" }
        bankAccountData:
          ispb: "99999004"
          branchNumber: "0001"
          accountNumber: "4000001"
          accountType: PAYMENT_ACCOUNT
        createdAt: "2025-01-06T12:00:00.000Z"
        balance: "100000.00"
`;

const PIX_KEYS = `
# PIX keys of your accounts, and of other institutions. The shipped keys stay.
extends: shipped

pix-keys:
  - key: pix@my-company.example
    accountId: 44444444-4444-4444-8444-444444444444
  - key: supplier@pix.example # A payout to this key is paid after an hour.
    owner: { name: Fornecedora Exemplo, document: { type: CPF, number: "52998224725" } }
    bank: { ispb: "60701190", branchNumber: "0001", accountNumber: "987654", accountType: CHECKING_ACCOUNT }
    settlement: { outcome: PAID, delay: PT1H }
`;

interface NewFile {
  readonly text: string;
  /** The schema for completion in editors. */
  readonly schema?: string;
}

const FILES: Readonly<Record<string, NewFile>> = {
  "sandbank.config.yaml": { text: CONFIGURATION, schema: "config" },
  "scenarios/first-charge.yaml": { text: SCENARIO, schema: "scenario" },
};

/** The files of `--fixtures`. */
const FIXTURE_FILES: typeof FILES = {
  "fixtures/companies.yaml": { text: COMPANIES, schema: "fixtures" },
  "fixtures/pix-keys.yaml": { text: PIX_KEYS, schema: "fixtures" },
};

/** The scripts that `--scripts` adds to package.json. */
const SCRIPTS = { "sandbank:serve": "sandbank serve", "sandbank:run": "sandbank run scenarios" };

/** The library of consumer tests, with the version that the tests of this package use. */
export const PACT = { "@pact-foundation/pact": "^17.1.4" };

/** `sandbank init`: a configuration, a scenario and a test to start from. */
export const initCommand = command(flags, async ({ folder, fixtures, scripts, contracts }) => {
  if (fixtures) return initFixtures(folder);
  const project = readProject(folder);
  const test = firstTest(project);
  if (scripts) addTo(project, "scripts", SCRIPTS);
  if (contracts) addTo(readProject(folder), "devDependencies", PACT);
  await writeFiles(folder, { ...FILES, [test.name]: { text: test.text } });
  const place = relative("", resolve(folder));
  const exec = programRunner(project);
  const next = [
    ...(place === "" ? [] : [[`cd ${place}`, ""]]),
    [`${exec} sandbank run scenarios`, "runs the scenario"],
    [test.command, "runs the test"],
    [`${exec} sandbank serve`, "starts the sandbox, with a dashboard at http://127.0.0.1:4010/"],
  ];
  const width = Math.max(...next.map(([command = "", what]) => (what === "" ? 0 : command.length))) + 2;
  const lines = next.map(([command = "", what = ""]) => `  ${command.padEnd(width)}${what}`.trimEnd());
  print(`\nNext:\n${lines.join("\n")}\n`);
});

/** Writes a folder of fixtures with one company. */
async function initFixtures(folder: string): Promise<void> {
  await writeFiles(folder, FIXTURE_FILES);
  const written = join(folder, "fixtures");
  print(`\nNext:\n  sandbank fixtures check ${written}\n  sandbank serve --fixtures ${written}\n`);
}

/** Writes the files that do not exist, and says which. */
async function writeFiles(folder: string, files: typeof FILES): Promise<void> {
  const installed = join(installedNear(resolve(folder)), "node_modules/sandbank/schemas");
  for (const [name, { text, schema }] of Object.entries(files)) {
    const path = join(folder, name);
    const from = relative(dirname(resolve(path)), installed);
    const head = schema === undefined ? "" : `# yaml-language-server: $schema=${from}/${schema}.schema.json`;
    const isNew = await writeNew(path, head + text);
    print(isNew ? `Wrote ${path}\n` : `Kept ${path}, which exists\n`);
  }
}

/** Adds the members that a section of package.json does not have. */
function addTo(
  { path, packageFile }: Project,
  section: Section,
  members: Readonly<Record<string, string>>,
): void {
  if (packageFile === undefined)
    throw new CommandFailure(
      `Failed to add ${section}: ${path} does not exist. Run npm init -y in that folder first.`,
    );
  const { file, json } = packageFile;
  const present = { ...json.dependencies, ...json[section] };
  const added = Object.entries(members).filter(([name]) => !Object.hasOwn(present, name));
  if (added.length === 0) return;
  replaceUserFile(file, withMembers(file.text, section, Object.fromEntries(added)));
  print(`Added to ${path}: ${added.map(([name]) => name).join(", ")}\n`);
}

/** Finds the nearest folder from here up that has the package installed. Otherwise the folder itself. */
function installedNear(folder: string): string {
  const isInstalled = (place: string): boolean => existsSync(join(place, "node_modules/sandbank"));
  return [folder, ...foldersAbove(folder)].find(isInstalled) ?? folder;
}

/** Writes a new file. Returns false if a file of that name exists. */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await makeFolder(resolve(dirname(path)));
    return createUserFile(path, text);
  } catch (error) {
    throw unwritable(path, error as NodeJS.ErrnoException, "Name another folder.");
  }
}
