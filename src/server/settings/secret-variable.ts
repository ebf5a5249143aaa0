/** The variables of the environment with secrets: a command line would show them to every user of the machine. */
type SecretName =
  | "SANDBANK_ADMIN_TOKEN"
  | "SANDBANK_WEBHOOK_SECRET"
  | "PACT_BROKER_TOKEN"
  | "PACT_BROKER_USERNAME"
  | "PACT_BROKER_PASSWORD";

/**
 * Returns a secret of the environment. An empty variable counts as not set, because compose files cannot leave out a
 * variable.
 */
export function secretVariable(name: SecretName): string | undefined {
  return process.env[name] || undefined;
}
