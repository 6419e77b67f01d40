import type { FastifyRequest } from 'fastify'
import type { Client } from '../applications/clients.ts'
import { limitClientsOfUser, readDocumentClient } from '../applications/documents/clients.ts'
import type { Ctx } from '../context.ts'
import { countAgainstLimit, type RateLimit } from '../db/limiter.ts'
import { OAuthError } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'

/** Documents that are fetched for one network. Others of the same network may use the cached ones. */
const FETCHES: RateLimit = { name: 'client-documents', max: 60, seconds: 60 }
/** Documents that are fetched from one host, so that many networks together cannot flood it. */
const FETCHES_FROM_HOST: RateLimit = { name: 'client-document-hosts', max: 300, seconds: 60 }
/** New clients that one user allows. */
const STORED: RateLimit = { name: 'document-clients', max: 30, seconds: 3600 }

/** The client that is described by the document at this URL. Throws an OAuthError that says what is wrong with it. */
export async function requireDocumentClient(ctx: Ctx, request: FastifyRequest, url: string): Promise<Client> {
  const network = clientNetwork(request)
  const mayFetch = async () => {
    await countAgainstLimit(ctx.db, FETCHES, network)
    await countAgainstLimit(ctx.db, FETCHES_FROM_HOST, new URL(url).hostname.replace(/\.$/, ''))
  }
  const result = await readDocumentClient(ctx, url, { network, mayFetch })
  if ('problem' in result) throw new OAuthError('invalid_request', result.problem, { facts: result.facts })
  return result
}

/** A user may have any number of documents, so the clients that are stored for them are limited. */
export async function limitStoring(ctx: Ctx, client: Client, userId: string): Promise<void> {
  if (!client.changedDocument) return
  await countAgainstLimit(ctx.db, STORED, userId)
  await limitClientsOfUser(ctx, client, userId)
}
