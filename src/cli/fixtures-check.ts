import { command } from "./command.ts";
import { text } from "./flags.ts";
import { FileMistakes } from "../base/failures.ts";
import { readFixtures } from "../server/access/fixture-files.ts";
import { print } from "./standard-streams.ts";

const flags = {
  folder: text("Folder of fixtures", { isArgument: true, demandOption: true }),
};

/** `sandbank fixtures check`: checks a folder of fixtures as `serve --fixtures` does, without a server. */
export const checkFixturesCommand = command(flags, ({ folder }) => {
  const { fixtures, mistakes } = readFixtures(folder);
  if (mistakes.length > 0) throw new FileMistakes(mistakes.join("\n"));
  const { companies, "pix-keys": keys } = fixtures;
  const accounts = companies.flatMap(({ accounts: own }) => own);
  const counts = [
    counted(companies.length, "company", "companies"),
    counted(accounts.length, "account"),
    counted(keys.length, "PIX key"),
  ];
  print(`${folder} is right: ${counts.join(", ")}. Use it: sandbank serve --fixtures ${folder}\n`);
});

function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
