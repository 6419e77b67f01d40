import type { Reader } from './reader.ts'

const NONCE_POLICIES = ['REQUIRED', 'OPTIONAL'] as const

export const DPOP_VARIABLES = {
  DPOP_NONCE:
    'REQUIRED or OPTIONAL: whether DPoP proofs must have a nonce of the service, which is valid for minutes (OPTIONAL)',
}

export const readDpopNonce = (read: Reader): (typeof NONCE_POLICIES)[number] =>
  read.oneOf('DPOP_NONCE', NONCE_POLICIES) ?? 'OPTIONAL'
