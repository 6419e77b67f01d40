import type { FastifyRequest } from 'fastify'
import { type Client, mayUseAlgorithm } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { isNonceValid } from './nonces.ts'
import { invalidProof, PROOF_SECONDS, verifyProof } from './proof.ts'
import { useOnce } from './use-once.ts'

/** The proof of a request that the sender has a private key (DPoP, RFC 9449). */
export interface Proof {
  /** The thumbprint of the key. */
  jkt: string
  alg: string
  /**
   * Uses up the proof, which is accepted once on all nodes. Only requests that are valid otherwise should do so, because
   * it writes a row. Repeated calls have the effect of one.
   */
  use(): Promise<void>
}

/** The verified proof of a request; undefined if it has none. Throws if it has one that must be refused. */
function readProof(ctx: Ctx, request: FastifyRequest, accessToken: string | undefined): Proof | undefined {
  const header = readHeader(request)
  if (header === undefined) return undefined
  const { jkt, alg, jti, nonce } = verifyProof(header, {
    method: request.method,
    uri: `${ctx.config.baseUrl}${request.url}`,
    accessToken,
    now: ctx.now(),
  })
  if (!isNonceValid(ctx, nonce)) {
    throw new OAuthError('use_dpop_nonce', 'The DPoP proof must have the nonce of the header DPoP-Nonce.')
  }
  let use: Promise<void> | undefined
  return {
    jkt,
    alg,
    use() {
      use ??= useProof(ctx, `${jkt}.${jti}`)
      return use
    },
  }
}

/** The proof of a request of this client; with an access token, one that is for this token. */
export function readClientProof(
  ctx: Ctx,
  request: FastifyRequest,
  client: Client,
  accessToken?: string,
): Proof | undefined {
  const proof = readProof(ctx, request, accessToken)
  if (proof && !mayUseAlgorithm(client, proof.alg)) {
    throw invalidProof('This client must sign its DPoP proofs with PS256, ES256 or EdDSA.')
  }
  return proof
}

const HEADER_NAME = 'dpop'

/** Node joins repeated headers, so this counts the raw headers. */
function readHeader({ raw: { rawHeaders, headers } }: FastifyRequest): string | undefined {
  const { [HEADER_NAME]: value } = headers
  if (value === undefined) return undefined
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  if (typeof value !== 'string' || names.filter((name) => name.toLowerCase() === HEADER_NAME).length !== 1) {
    throw invalidProof('The request must have exactly one header DPoP.')
  }
  return value
}

async function useProof(ctx: Ctx, id: string): Promise<void> {
  // Until then the proof may be accepted: its iat may be ahead of the time of the service.
  const expires_at = new Date(ctx.now().getTime() + 2 * PROOF_SECONDS * 1000)
  if (!(await useOnce(ctx, { hash: hashSecret(id), expires_at }))) {
    throw invalidProof('The DPoP proof was used before.')
  }
}
