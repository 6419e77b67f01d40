import type { AuditSource } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { inEnglish } from '../../languages/current-language.ts'
import { t } from '../../languages/translate.ts'
import { newId } from '../../lib/ids.ts'
import { DEFAULT_ALGORITHM } from '../../lib/signer.ts'
import { type Client, findClient } from '../clients.ts'
import { type DocumentProblem, documentsOf } from './fetched.ts'
import type { ClientDocument } from './metadata.ts'
import {
  applicationNameOf,
  changeDocumentClient,
  documentClientSettings,
  registerDocumentClient,
} from './registration.ts'
import { countClientsOfUser, countDocumentClients } from './store.ts'
import { makeRoom } from './sweep.ts'
import { findDocumentUrlProblem, ruleOfHost } from './url.ts'

/** More documents than this are not fetched at the same time. */
const MAX_PENDING = 20
/** For one network, so that few networks cannot keep all others waiting. */
const MAX_PENDING_OF_NETWORK = 3
/** In the whole instance. Unused clients make room. */
const MAX_CLIENTS = 10_000
/** That one user has allowed. */
const MAX_CLIENTS_OF_USER = 100

const DOCUMENT = 'the document at its client_id'
const HOST_PROBLEMS = {
  off: 'its client_id is not that of a registered application',
  denied: 'the host of its client_id is not accepted here',
  'not-allowed': 'the host of its client_id is not accepted here',
}

/** Why there is no client. The problem is shown to the user: "its client_id …". */
export interface Refusal {
  problem: string
  facts: Record<string, unknown>
}

/**
 * The client that the document at its id describes now. `mayFetch` is asked before a request is sent for that network. Nothing is stored:
 * anybody can name any document.
 */
export async function readDocumentClient(
  ctx: Ctx,
  url: string,
  { network, mayFetch }: { network: string; mayFetch: () => Promise<void> },
): Promise<Client | Refusal> {
  const urlRefusal = refuseUrl(ctx, url)
  if (urlRefusal) return urlRefusal
  const documents = documentsOf(ctx)
  if (documents.needsRequest(url)) await mayFetch()
  if (documents.needsRequest(url) && isBusy(ctx, network)) {
    return { problem: 'too many documents are being fetched now, so try again', facts: { problem: 'busy' } }
  }
  const [result, stored] = await Promise.all([fetchFor(ctx, network, url), findClient(ctx, url)])
  if ('problem' in result) return refuseDocument(result)
  const { document } = result
  if (!stored) return toClient(document, ctx.now())
  const { name, redirectUris } = document
  const isStored = name === stored.name && redirectUris.join(' ') === stored.redirectUris.join(' ')
  return isStored ? stored : { ...stored, name, redirectUris, changedDocument: document }
}

/** The number of requests under way that a network has caused. */
const pendingOf = new WeakMap<Ctx, Map<string, number>>()

const isBusy = (ctx: Ctx, network: string): boolean =>
  documentsOf(ctx).pendingRequests() >= MAX_PENDING || (pendingOf.get(ctx)?.get(network) ?? 0) >= MAX_PENDING_OF_NETWORK

async function fetchFor(ctx: Ctx, network: string, url: string) {
  const documents = documentsOf(ctx)
  if (!documents.needsRequest(url)) return documents.get(url)
  const pending = pendingOf.get(ctx) ?? new Map<string, number>()
  pendingOf.set(ctx, pending)
  pending.set(network, (pending.get(network) ?? 0) + 1)
  try {
    return await documents.get(url)
  } finally {
    const left = (pending.get(network) ?? 1) - 1
    if (left > 0) pending.set(network, left)
    else pending.delete(network)
  }
}

function refuseUrl({ config }: Ctx, url: string): Refusal | undefined {
  const rule = ruleOfHost(config, url)
  if (rule === 'off') return { problem: HOST_PROBLEMS.off, facts: { problem: 'unknown_client' } }
  const problem = inEnglish(() => findDocumentUrlProblem(config, url))
  if (problem) return { problem: `its client_id ${problem}`, facts: { problem: 'client_id_url', cause: problem } }
  return rule === 'allowed' ? undefined : { problem: HOST_PROBLEMS[rule], facts: { problem: `host_${rule}` } }
}

const refuseDocument = ({ problem, cause }: DocumentProblem): Refusal => ({
  problem: `${DOCUMENT} ${problem}`,
  facts: { problem: 'client_document', cause },
})

/** A client that is not stored. Its ids are replaced when it is. */
const toClient = (document: ClientDocument, createdAt: Date): Client => ({
  ...documentClientSettings(),
  id: newId(),
  applicationId: newId(),
  clientId: document.clientId,
  exchangeEndedAt: null,
  createdAt,
  origin: 'DOCUMENT',
  applicationName: applicationNameOf(document),
  trusted: false,
  builtIn: false,
  kind: 'SPA',
  name: document.name,
  redirectUris: document.redirectUris,
  tenantId: undefined,
  tenantSlug: undefined,
  suspension: undefined,
  secrets: [],
  signingAlgorithms: [DEFAULT_ALGORITHM],
  lifetimes: { accessToken: undefined, idToken: undefined, refreshTokenIdle: undefined, refreshToken: undefined },
  changedDocument: document,
})

/** Throws if this is a new client and the user has allowed too many. */
export async function limitClientsOfUser(ctx: Ctx, { clientId }: Client, userId: string): Promise<void> {
  if (await findClient(ctx, clientId)) return
  if ((await countClientsOfUser(ctx.db, userId)) < MAX_CLIENTS_OF_USER) return
  throw new AppError('INVALID_REQUEST', {
    message: t('You have allowed {max} applications of this kind. Withdraw the access of one in your account first.', {
      max: MAX_CLIENTS_OF_USER,
    }),
  })
}

/** Stores a client and its application when a user allows it, or the changes of its document. */
export async function storeDocumentClient(ctx: Ctx, client: Client, source: AuditSource): Promise<Client> {
  const { changedDocument: document } = client
  if (!document) return client
  const stored = await findClient(ctx, document.clientId)
  if (stored)
    await ctx.db.transaction().execute((tx) => changeDocumentClient(ctx, tx, { id: stored.id, document, source }))
  else await registerOnce(ctx, document, source)
  await ctx.changes.waitUntilCurrent()
  const current = await findClient(ctx, document.clientId)
  if (!current) throw new AppError('CLIENT_NOT_FOUND')
  return current
}

/** If two users allow a new client at the same time, one of them registers it. */
async function registerOnce(ctx: Ctx, document: ClientDocument, source: AuditSource): Promise<void> {
  if ((await countDocumentClients(ctx.db)) >= MAX_CLIENTS) {
    await makeRoom(ctx)
    if ((await countDocumentClients(ctx.db)) >= MAX_CLIENTS) throw new AppError('UNAVAILABLE')
  }
  try {
    await ctx.db.transaction().execute((tx) => registerDocumentClient(ctx, tx, { document, source }))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'CLIENT_ID_TAKEN') throw error
  }
}
