import { Type } from 'typebox'
import { defineActions, Id, SAMPLE_IDS, strictObject, withExample } from './definition.ts'

const Session = strictObject({ sessionId: Id })
const session = { sessionId: SAMPLE_IDS.session }
/** `amr` holds the authentication methods (RFC 8176). */
const authentication = withExample(strictObject({ sessionId: Id, amr: Type.Array(Type.String()) }), {
  ...session,
  amr: ['pwd', 'otp', 'mfa'],
})

/** The reason of a failed authentication and the method that was tried. */
const refused = (reasons: string[]) =>
  Type.Object(
    {
      reason: Type.Enum(reasons),
      method: Type.Enum(['password', 'passkey', 'sso', 'email_code', 'totp', 'recovery_code']),
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

const PASSKEY_REASONS = ['unknown_challenge', 'unknown_passkey', 'foreign_passkey', 'wrong_passkey', 'copied_passkey']

export const sessionActions = defineActions({
  'session.started': {
    summary: 'A user signed in.',
    ...authentication,
  },
  'session.refused': {
    summary:
      'A sign-in failed because of a wrong password or another reason. Beyond a rate limit, one entry is recorded for each account, network and period.',
    details: refused([
      'wrong_password',
      'wrong_code',
      'unknown_address',
      'no_password',
      'disabled',
      'changed_meanwhile',
      ...PASSKEY_REASONS,
      'provider_refused',
      'not_linked',
      'unproven_address',
      'rate_limited',
    ]),
    example: { reason: 'wrong_password', method: 'password' },
  },
  'session.second_factor_shown': {
    summary: 'A user completed a second factor in an existing session.',
    ...authentication,
  },
  'session.second_factor_refused': {
    summary: 'A second factor was wrong.',
    details: refused(['wrong_code', 'rate_limited', ...PASSKEY_REASONS]),
    example: { reason: 'wrong_code', method: 'totp' },
  },
  'session.token_revoked': {
    summary:
      'A client revoked a token. A refresh token revokes its whole grant family; an ID token revokes all tokens that the client obtained from the session.',
    details: token,
    example: { kind: 'refresh_token', sessionId: '0197a2b0-7d5c-7000-8000-0000000000f1' },
  },
  'session.token_reused': {
    summary:
      'A code or refresh token was used twice and may have been stolen. All tokens obtained with it were revoked.',
    details: token,
    example: { kind: 'refresh_token', sessionId: '0197a2b0-7d5c-7000-8000-0000000000f1' },
  },
  'session.ended': {
    summary: 'A user signed out, or one of their sessions was ended.',
    ...withExample(Session, session),
  },
  'session.others_ended': {
    summary: 'A user ended all of their other sessions.',
    ...withExample(strictObject({ count: Type.Integer() }), { count: 2 }),
  },
  'session.all_ended': {
    summary: 'An operator ended all sessions of a user.',
    ...withExample(strictObject({ count: Type.Integer() }), { count: 2 }),
  },
})
