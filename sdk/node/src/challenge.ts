import { PROOF_ALGORITHMS } from './dpop.ts'
import { locateResourceMetadata, type ResourceOptions } from './resource-metadata.ts'

export type Scheme = 'Bearer' | 'DPoP'

interface Draft {
  scheme?: Scheme
  error?: string
  /** Default: those of the resource. */
  scopes?: string[]
  /** Whether a challenge for Bearer also says that DPoP is accepted (RFC 9449 §7.2). */
  offersDpop?: boolean
}

const ALGS = `algs="${PROOF_ALGORITHMS.join(' ')}"`

/** WWW-Authenticate: RFC 6750 §3, RFC 9449 §7.1 for DPoP, and RFC 9728 §5.1 for the metadata. */
export function createChallenge(resource: ResourceOptions | undefined): (draft: Draft) => string {
  const metadataUrl = resource && locateResourceMetadata(resource.uri)
  return ({ scheme = 'Bearer', error, scopes = resource?.scopes ?? [], offersDpop = false }) => {
    const parameters = [
      ...(scheme === 'DPoP' ? [ALGS] : []),
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
      ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    ]
    const challenge = [scheme, parameters.join(', ')].filter(Boolean).join(' ')
    return offersDpop && scheme === 'Bearer' ? `${challenge}, DPoP ${ALGS}` : challenge
  }
}
