import { findChanges } from '../../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { toClientRef } from '../clients/locked.ts'
import { defaultSettings } from '../clients/rules.ts'
import { insertClient, lockClient, updateClient } from '../clients/store.ts'
import { createApplication } from '../service.ts'
import type { ClientDocument } from './metadata.ts'

/** The settings of every client that is described by a document. PKCE protects its codes, so it needs no nonce. */
export const documentClientSettings = () => ({
  ...defaultSettings('SPA'),
  requireNonce: false,
  pkceMethods: ['S256' as const],
})

/** The host is what a user can verify. */
export const applicationNameOf = ({ clientId }: Pick<ClientDocument, 'clientId'>): string => new URL(clientId).host

/** Stores the client with an application of its own, which is not trusted. */
export async function registerDocumentClient(
  ctx: Ctx,
  tx: Tx,
  { document, source }: { document: ClientDocument; source: AuditSource },
): Promise<void> {
  const draft = { name: applicationNameOf(document), trusted: false }
  const { id: applicationId } = await createApplication(ctx, tx, draft, source)
  const { clientId, name, redirectUris } = document
  const settings = documentClientSettings()
  const { scopes } = settings
  const now = ctx.now()
  const id = newId()
  const inserted = await insertClient(tx, {
    id,
    client_id: clientId,
    origin: 'DOCUMENT',
    application_id: applicationId,
    kind: 'SPA',
    name,
    redirect_uris: redirectUris,
    post_logout_redirect_uris: [],
    allowed_origins: [],
    scopes,
    tenant_id: null,
    require_nonce: settings.requireNonce,
    userinfo_in_id_token: settings.userinfoInIdToken,
    pkce_methods: settings.pkceMethods,
    disabled: false,
    created_at: now,
    updated_at: now,
  })
  if (!inserted) throw new AppError('CLIENT_ID_TAKEN')
  const after = { kind: 'SPA', origin: 'DOCUMENT', name, redirectUris, scopes }
  const details = { ...toClientRef({ id, clientId, applicationId }), after }
  await recordAuditEvent(ctx, tx, { action: 'client.registered', ...source, details })
}

/** Stores what has changed in the document. */
export async function changeDocumentClient(
  ctx: Ctx,
  tx: Tx,
  { id, document, source }: { id: string; document: ClientDocument; source: AuditSource },
): Promise<void> {
  const client = await lockClient(tx, id)
  if (!client) return
  const { name, redirectUris } = document
  const before = { name: client.name, redirectUris: client.redirectUris }
  const changes = findChanges<Record<string, unknown>>(before, { name, redirectUris })
  if (!changes) return
  const details = { ...toClientRef(client), ...changes }
  await recordAuditEvent(ctx, tx, { action: 'client.changed', ...source, details })
  await updateClient(tx, id, { name, redirectUris, updatedAt: ctx.now() })
}
