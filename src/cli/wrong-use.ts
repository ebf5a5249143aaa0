import { closest } from "fastest-levenshtein";

/** What was typed, and what the command that was typed can be told. */
interface Typed {
  readonly words: readonly string[];
  readonly flags: readonly string[];
  /** What stands behind the command without dashes, in its order. */
  readonly positionals: readonly string[];
}

/** What yargs finds wrong, as a sentence that says what was found and what would be right. */
export function wrongUse(message: string, typed: Typed): string {
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(message);
    if (found !== null) return sentence(found, typed);
  }
  return message;
}

type Sentence = (found: RegExpExecArray, typed: Typed) => string;

const SENTENCES: readonly (readonly [RegExp, Sentence])[] = [
  [/^Unknown (?:argument|command)s?: (.*)$/, ([, names = ""], typed) => unknown(names.split(", "), typed)],
  [/^Did you mean (.*)\?$/, ([, name = ""], { words }) => `${noCommand(words, name)} Did you mean ${name}?`],
  [/^Not enough arguments following: (.*)$/, ([, name = ""]) => `--${name} wants a value, and has none.`],
  [
    /^Not enough non-option arguments: got (\d+)/,
    ([, got = "0"], { positionals }) => {
      const missing = positionals[Number(got)];
      return missing === undefined
        ? "Something that the command needs was not said."
        : `<${missing}> is missing.`;
    },
  ],
  [
    /^Missing required arguments?: (.*)$/,
    ([, names = ""]) => {
      const flags = names.split(", ").map((name) => `--${name}`);
      return `${flags.join(" and ")} ${flags.length === 1 ? "is" : "are"} missing.`;
    },
  ],
  [
    /Argument: (\S+), Given: (.*), Choices: (.*)$/,
    ([, name = "", given = "", choices = ""], { flags, words }) => {
      const isFlag = flags.includes(name) && words.some((word) => word.startsWith(`--${name}`));
      const oneOf = choices.replaceAll('"', "");
      return `${isFlag ? `--${name}` : `<${name}>`} must be one of ${oneOf}; found ${given}.`;
    },
  ],
];

function unknown(names: readonly string[], { words, flags }: Typed): string {
  const typed = names.map((name) => words.find((word) => isFlagOf(word, name)) ?? name);
  return typed
    .map((word) => {
      if (!word.startsWith("-"))
        return word === words[0] ? `There is no command "${word}".` : `There is no use for "${word}" here.`;
      const flag = word.replace(/=.*$/, "");
      return `There is no flag ${flag}. Did you mean --${closest(flag.replace(/^-+/, ""), flags)}?`;
    })
    .join("\n");
}

function isFlagOf(word: string, name: string): boolean {
  return word.startsWith("-") && word.replace(/^-+(?:no-)?/, "").replace(/=.*$/, "") === name;
}

/** The word that yargs took for a command: the one that is nearest to what it proposes. */
function noCommand(words: readonly string[], meant: string): string {
  const found = closest(
    meant,
    words.filter((word) => !word.startsWith("-")),
  );
  return `There is no command "${found}".`;
}

/** What is wrong with a flag that is set or not: yargs takes any word but `true` for false. */
export function wrongSwitch(words: readonly string[], switches: readonly string[]): string | undefined {
  for (const word of words) {
    const [, name = "", value = ""] = /^--([\w-]+)=(.*)$/s.exec(word) ?? [];
    if (switches.includes(name) && !/^(true|false)$/.test(value))
      return `--${name} must be true or false; found "${value}".`;
  }
  return undefined;
}
