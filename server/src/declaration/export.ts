import type { Ctx } from '../context.ts'
import type { ExportOptions, Section } from './section.ts'
import { readOneMoment } from './store.ts'
import { writeEntry } from './yaml.ts'

const HEADER = `# What this instance holds, as "latchkey apply -f" takes it.
#
# Not in here: who is invited, who has asked to be deleted, sessions and tokens, second factors and passkeys, links to
# outside providers, signing keys, the audit log.
`

const WITHOUT_SECRETS = `# Nor are secrets. On a new instance people set a password by the link of "Forgot your password?", and
# "latchkey client secret <client-id>" gives a client a new secret. With --with-secrets the hashes come along.
`

const WITH_SECRETS = `# Hashes of passwords and of clients' secrets are in here: keep this file as safe as the database.
`

/** Written in pieces of about this many characters. */
const PIECE = 65_536

/** Writes everything there is, of one moment. Whatever its size, little of it is held at once. */
export async function writeExport(
  ctx: Ctx,
  sections: Section[],
  { write, ...options }: ExportOptions & { write(text: string): Promise<void> },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await readOneMoment(tx)
    let piece = HEADER + (options.withSecrets ? WITH_SECRETS : WITHOUT_SECRETS)
    for await (const text of describeAll({ ...ctx, db: tx }, sections, options)) {
      piece += text
      if (piece.length < PIECE) continue
      await write(piece)
      piece = ''
    }
    await write(piece)
  })
}

async function* describeAll(ctx: Ctx, sections: Section[], options: ExportOptions): AsyncGenerator<string> {
  for (const section of sections) {
    let empty = true
    for await (const entry of section.export(ctx, options)) {
      yield empty ? `\n${section.key}:\n${writeEntry(entry)}` : writeEntry(entry)
      empty = false
    }
    if (empty) yield `\n${section.key}: []\n`
  }
}
