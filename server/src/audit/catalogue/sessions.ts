import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

/** Why somebody was refused, and how they wanted to show who they are. */
const refused = (reasons: string[]) =>
  Type.Object(
    {
      reason: Type.Enum(reasons),
      method: Type.Enum(['password', 'passkey', 'sso', 'totp', 'recovery_code']),
      provider: Type.Optional(Type.String({ description: 'Of a sign-in through a provider' })),
    },
    { additionalProperties: false },
  )

export const sessionKinds = defineKinds({
  'session.started': { says: 'Somebody signed in.' },
  'session.refused': {
    says: 'Somebody could not be signed in: by a wrong password, or for another reason. Beyond a limit it is told once for each account, network and time.',
    details: refused([
      ...['wrong_password', 'unknown_address', 'no_password', 'disabled', 'changed_meanwhile'],
      ...['unknown_challenge', 'unknown_passkey', 'foreign_passkey', 'wrong_passkey', 'copied_passkey'],
      ...['provider_refused', 'not_linked', 'unproven_address', 'rate_limited'],
    ]),
    example: { reason: 'wrong_password', method: 'password' },
  },
  'session.second_factor_shown': { says: 'Somebody showed a second factor in a session that they had.' },
  'session.second_factor_refused': {
    says: 'Somebody gave a wrong second factor.',
    details: refused([
      ...['wrong_code', 'rate_limited'],
      ...['unknown_challenge', 'unknown_passkey', 'foreign_passkey', 'wrong_passkey', 'copied_passkey'],
    ]),
    example: { reason: 'wrong_code', method: 'totp' },
  },
  'session.ended': { says: 'Somebody signed out, or a session of theirs was ended.' },
  'session.others_ended': { says: 'Somebody ended all of their other sessions.' },
  'session.all_ended': { says: 'An operator ended all sessions of somebody.' },
})
