import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Mode } from '../../config.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { ClientAuthMethod, ClientKind } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId, newUniqueId } from '../../lib/ids.ts'
import { hashSecret, newSecret } from '../../lib/secrets.ts'
import { type ClientRef, getLockedClient, toClientRef } from './locked.ts'
import { countSecrets, deleteSecret, insertSecret } from './store.ts'

/** Two, so that a new secret can be deployed before the old one is revoked. */
export const MAX_SECRETS = 2
const MIN_CHOSEN_LENGTH: Record<Mode, number> = { serve: 32, demo: 8 }
const MAX_CHOSEN_LENGTH = 256
/** RFC 6749 appendix A.2. */
const PRINTABLE = /^[\x20-\x7e]*$/

/** The plain secret, which is shown only once. */
export interface NewSecret {
  id: string
  clientSecret: string
  createdAt: Date
}

/** The prefix lets secret scanners recognize a leaked secret. */
export const newClientSecret = (): string => `lks_${newSecret()}`

export interface SecretHolder {
  kind: ClientKind
  tokenEndpointAuthMethod: ClientAuthMethod
}

const secretRules = ({ kind, tokenEndpointAuthMethod }: SecretHolder) => [
  checkField(kind !== 'SPA', 'secret', t('is not for SPA clients: a browser cannot keep a secret')),
  checkField(
    tokenEndpointAuthMethod !== 'private_key_jwt',
    'secret',
    t('is not for clients with tokenEndpointAuthMethod private_key_jwt: they use their key'),
  ),
]

/** A secret chosen by the operator must be hard to guess and possible to send. */
export function validateChosenSecret({ config }: Ctx, client: SecretHolder, secret: string): void {
  const minLength = MIN_CHOSEN_LENGTH[config.mode]
  const isValid = secret.length >= minLength && secret.length <= MAX_CHOSEN_LENGTH && PRINTABLE.test(secret)
  const range = { min: minLength, max: MAX_CHOSEN_LENGTH }
  throwIfInvalid([
    ...secretRules(client),
    checkField(isValid, 'secret', t('must have {min} to {max} printable characters', range)),
  ])
}

/** Does not record an audit event: the caller does. */
export async function createSecret(ctx: Ctx, tx: Tx, clientId: string, clientSecret: string): Promise<NewSecret> {
  const id = newUniqueId()
  const createdAt = ctx.now()
  await insertSecret(tx, { id, client_id: clientId, hash: hashSecret(clientSecret), created_at: createdAt })
  return { id, clientSecret, createdAt }
}

/** Keeps the secrets of a client that comes from another instance valid. */
export async function importSecretHashes(ctx: Ctx, tx: Tx, clientId: string, hashes: string[]): Promise<void> {
  for (const hash of hashes) {
    await insertSecret(tx, {
      id: newUniqueId(),
      client_id: clientId,
      hash: Buffer.from(hash, 'hex'),
      created_at: ctx.now(),
    })
  }
}

export async function addSecret(ctx: Ctx, id: string, source: AuditSource): Promise<NewSecret> {
  const secret = await ctx.db.transaction().execute(async (tx) => {
    const client = await getLockedClient(tx, id)
    throwIfInvalid(secretRules(client))
    if ((await countSecrets(tx, id)) >= MAX_SECRETS) throw new AppError('TOO_MANY_SECRETS')
    return addSecretInTx(ctx, tx, { client, secret: newClientSecret(), source })
  })
  await ctx.changes.waitUntilCurrent()
  return secret
}

/** Adds a secret to an existing client and records an audit event. */
export async function addSecretInTx(
  ctx: Ctx,
  tx: Tx,
  { client, secret, source }: { client: ClientRef; secret: string; source: AuditSource },
): Promise<NewSecret> {
  const created = await createSecret(ctx, tx, client.id, secret)
  const details = { ...toClientRef(client), secretId: created.id }
  await recordAuditEvent(ctx, tx, { action: 'client.secret_added', ...source, details })
  return created
}

export async function revokeSecret(
  ctx: Ctx,
  { id, secretId, source }: { id: string; secretId: string; source: AuditSource },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const client = await getLockedClient(tx, id)
    if (!isId(secretId) || !(await deleteSecret(tx, id, secretId))) throw new AppError('SECRET_NOT_FOUND')
    const details = { ...toClientRef(client), secretId: secretId.toLowerCase() }
    await recordAuditEvent(ctx, tx, { action: 'client.secret_ended', ...source, details })
  })
  await ctx.changes.waitUntilCurrent()
}
