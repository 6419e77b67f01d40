import { record, type Source } from '../../audit/record.ts'
import type { Mode } from '../../config.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { ClientKind } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { getLocked, type NamedClient, namesOf } from './locked.ts'
import { countSecrets, deleteSecret, insertSecret } from './store.ts'

/** Two, so that a new one can be brought everywhere before the old one ends. */
export const MOST_SECRETS = 2
const SHORTEST_CHOSEN: Record<Mode, number> = { serve: 32, demo: 8 }
const LONGEST_CHOSEN = 256
/** RFC 6749 appendix A.2. */
const PRINTABLE = /^[\x20-\x7e]*$/

/** A secret as it is shown, once. */
export interface NewSecret {
  id: string
  clientSecret: string
  createdAt: Date
}

/** The prefix lets scanners of source code recognise one that was left there. */
export const newClientSecret = (): string => `lks_${newSecret()}`

const SPA_RULE = 'is not for SPA clients: what runs in a browser cannot keep a secret'

/** Refuses a secret of an operator's own that could be guessed or could not be sent. */
export function checkChosenSecret({ config }: Ctx, kind: ClientKind, secret: string): void {
  const shortest = SHORTEST_CHOSEN[config.mode]
  const fits = secret.length >= shortest && secret.length <= LONGEST_CHOSEN && PRINTABLE.test(secret)
  refuseProblems([
    demand(kind !== 'SPA', 'secret', SPA_RULE),
    demand(fits, 'secret', `must have ${shortest} to ${LONGEST_CHOSEN} printable characters`),
  ])
}

/** Gives a client a secret, its first or one more. Whoever does so writes it down. */
export async function giveSecret(
  ctx: Ctx,
  tx: Tx,
  clientId: string,
  clientSecret: string,
): Promise<NewSecret> {
  const id = newId()
  const createdAt = ctx.now()
  await insertSecret(tx, { id, client_id: clientId, hash: hashSecret(clientSecret), created_at: createdAt })
  return { id, clientSecret, createdAt }
}

/** Lets a client go on with the secrets that it had elsewhere, of which their hashes are known. */
export async function keepSecretHashes(ctx: Ctx, tx: Tx, clientId: string, hashes: string[]): Promise<void> {
  for (const hash of hashes) {
    const kept = { id: newId(), client_id: clientId, created_at: ctx.now() }
    await insertSecret(tx, { ...kept, hash: Buffer.from(hash, 'hex') })
  }
}

export async function addSecret(ctx: Ctx, id: string, source: Source): Promise<NewSecret> {
  const secret = await ctx.db.transaction().execute(async (tx) => {
    const client = await getLocked(tx, id)
    refuseProblems([demand(client.kind !== 'SPA', 'secret', SPA_RULE)])
    if ((await countSecrets(tx, id)) >= MOST_SECRETS) throw new AppError('TOO_MANY_SECRETS')
    return addTo(ctx, tx, { client, secret: newClientSecret(), source })
  })
  await ctx.changes.settle()
  return secret
}

/** Gives a client that is there a secret, and writes that down. */
export async function addTo(
  ctx: Ctx,
  tx: Tx,
  { client, secret, source }: { client: NamedClient; secret: string; source: Source },
): Promise<NewSecret> {
  const given = await giveSecret(ctx, tx, client.id, secret)
  const details = { ...namesOf(client), secretId: given.id }
  await record(ctx, tx, { action: 'client.secret_added', ...source, details })
  return given
}

export async function endSecret(
  ctx: Ctx,
  { id, secretId, source }: { id: string; secretId: string; source: Source },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const client = await getLocked(tx, id)
    if (!isId(secretId) || !(await deleteSecret(tx, id, secretId))) throw new AppError('SECRET_NOT_FOUND')
    const details = { ...namesOf(client), secretId: secretId.toLowerCase() }
    await record(ctx, tx, { action: 'client.secret_ended', ...source, details })
  })
  await ctx.changes.settle()
}
