import type { Ctx } from '../context.ts'
import type { ExportOptions, Section } from './section.ts'
import { useReadOnlySnapshot } from './store.ts'
import { writeEntry } from './yaml.ts'

const HEADER = `# The content of this instance, for "latchkey apply -f".
#
# Not included: invitations, users who have requested deletion, sessions and tokens, second factors and passkeys, links
# to external identity providers, signing keys, the audit log.
`

const WITHOUT_SECRETS = `# Secrets are not included. On a new instance users set a password with "Forgot your password?", and
# "latchkey client secret <client-id>" creates a new secret for a client. --with-secrets includes the hashes.
`

const WITH_SECRETS = `# This file contains hashes of passwords and of client secrets: protect it like the database.
`

const MIN_CHUNK_LENGTH = 65_536

/** Writes a consistent export of the instance. It is streamed in chunks, so memory use does not grow with its size. */
export async function writeExport(
  ctx: Ctx,
  sections: Section[],
  { write, ...options }: ExportOptions & { write(text: string): Promise<void> },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await useReadOnlySnapshot(tx)
    let chunk = HEADER + (options.withSecrets ? WITH_SECRETS : WITHOUT_SECRETS)
    for await (const text of serializeSections({ ...ctx, db: tx }, sections, options)) {
      chunk += text
      if (chunk.length < MIN_CHUNK_LENGTH) continue
      await write(chunk)
      chunk = ''
    }
    await write(chunk)
  })
}

async function* serializeSections(ctx: Ctx, sections: Section[], options: ExportOptions): AsyncGenerator<string> {
  for (const section of sections) {
    let isEmpty = true
    for await (const entry of section.export(ctx, options)) {
      yield isEmpty ? `\n${section.key}:\n${writeEntry(entry)}` : writeEntry(entry)
      isEmpty = false
    }
    if (isEmpty) yield `\n${section.key}: []\n`
  }
}
