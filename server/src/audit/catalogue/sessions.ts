import { Type } from 'typebox'
import { defineKinds, facts, Id, SAMPLE, telling } from './kind.ts'

const Session = facts({ sessionId: Id })
const session = { sessionId: SAMPLE.session }
/** By which factors (RFC 8176). */
const proven = telling(facts({ sessionId: Id, amr: Type.Array(Type.String()) }), {
  ...session,
  amr: ['pwd', 'otp', 'mfa'],
})

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

const token = Type.Object(
  {
    kind: Type.Enum(['code', 'refresh_token', 'access_token', 'id_token']),
    sessionId: Type.Optional(Type.String({ format: 'uuid', description: 'Left out: a token of a machine' })),
  },
  { additionalProperties: false },
)

export const sessionKinds = defineKinds({
  'session.started': {
    says: 'Somebody signed in.',
    ...proven,
  },
  'session.refused': {
    says: 'Somebody could not be signed in: by a wrong password, or for another reason. Beyond a limit it is told once for each account, network and time.',
    details: refused([
      ...['wrong_password', 'unknown_address', 'no_password', 'disabled', 'changed_meanwhile'],
      ...['unknown_challenge', 'unknown_passkey', 'foreign_passkey', 'wrong_passkey', 'copied_passkey'],
      ...['provider_refused', 'not_linked', 'unproven_address', 'rate_limited'],
    ]),
    example: { reason: 'wrong_password', method: 'password' },
  },
  'session.second_factor_shown': {
    says: 'Somebody showed a second factor in a session that they had.',
    ...proven,
  },
  'session.second_factor_refused': {
    says: 'Somebody gave a wrong second factor.',
    details: refused([
      ...['wrong_code', 'rate_limited'],
      ...['unknown_challenge', 'unknown_passkey', 'foreign_passkey', 'wrong_passkey', 'copied_passkey'],
    ]),
    example: { reason: 'wrong_code', method: 'totp' },
  },
  'session.token_revoked': {
    says: 'A client gave a token back: with a refresh token its whole family, with an ID token all that it had from the session.',
    details: token,
    example: { kind: 'refresh_token', sessionId: '0197a2b0-7d5c-7000-8000-0000000000f1' },
  },
  'session.token_reused': {
    says: 'A code or a refresh token was used twice, so it may be stolen: everything it brought has ended.',
    details: token,
    example: { kind: 'refresh_token', sessionId: '0197a2b0-7d5c-7000-8000-0000000000f1' },
  },
  'session.ended': {
    says: 'Somebody signed out, or a session of theirs was ended.',
    ...telling(Session, session),
  },
  'session.others_ended': {
    says: 'Somebody ended all of their other sessions.',
    ...telling(facts({ count: Type.Integer() }), { count: 2 }),
  },
  'session.all_ended': {
    says: 'An operator ended all sessions of somebody.',
    ...telling(facts({ count: Type.Integer() }), { count: 2 }),
  },
})
