import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

/** What of an account a change may concern, and names nobody. */
const Traits = Type.Partial(
  Type.Object({ emailVerified: Type.Boolean(), superAdmin: Type.Boolean(), passwordSignIn: Type.Boolean() }),
  { additionalProperties: false },
)

export const userKinds = defineKinds({
  'user.registered': { says: 'Somebody made an account.' },
  'user.registration_refused': { says: 'Somebody tried to make an account with an address that has one.' },
  'user.created': {
    says: 'An operator made an account for somebody.',
    details: Type.Object(
      {
        emailVerified: Type.Boolean(),
        superAdmin: Type.Boolean(),
        passwordSignIn: Type.Boolean(),
        hasPassword: Type.Boolean(),
        sendPasswordLink: Type.Boolean({ description: 'They were mailed a link to choose a password' }),
      },
      { additionalProperties: false },
    ),
    example: {
      ...{ emailVerified: true, superAdmin: false, passwordSignIn: true },
      ...{ hasPassword: false, sendPasswordLink: true },
    },
  },
  'user.imported': { says: 'An account came from another system.' },
  'user.profile_changed': { says: 'Somebody changed their profile.' },
  'user.changed': {
    says: 'An operator changed an account.',
    details: Type.Object(
      {
        fields: Type.Array(Type.String({ description: 'What was changed' })),
        // Names stand elsewhere, and are forgotten with the person.
        before: Type.Optional(Traits),
        after: Type.Optional(Traits),
      },
      { additionalProperties: false },
    ),
    example: {
      fields: ['givenName', 'superAdmin'],
      before: { superAdmin: false },
      after: { superAdmin: true },
    },
  },
  'user.disabled': { says: 'An operator disabled an account: it ends every session and token at once.' },
  'user.enabled': { says: 'An operator enabled an account again.' },
  'user.password_changed': { says: 'Somebody changed their password.' },
  'user.password_reset_requested': { says: 'Somebody asked for a link to set a new password.' },
  'user.password_reset_forced': {
    says: 'An operator made somebody choose a new password: the old one is good no more.',
    details: Type.Object(
      { linkSent: Type.Boolean({ description: 'False: the account is disabled' }) },
      { additionalProperties: false },
    ),
    example: { linkSent: true },
  },
  'user.password_reset': { says: 'Somebody set a new password through a link.' },
  'user.email_verified': { says: 'Somebody confirmed their address.' },
  'user.email_change_requested': { says: 'Somebody asked to change their address.' },
  'user.email_changed': { says: 'Somebody changed their address.' },
  'user.totp_enabled': { says: 'Somebody set up an authenticator app.' },
  'user.totp_disabled': { says: 'Somebody removed their authenticator app.' },
  'user.recovery_codes_replaced': { says: 'Somebody made new recovery codes.' },
  'user.recovery_code_used': { says: 'Somebody signed in with a recovery code.' },
  'user.passkey_added': { says: 'Somebody added a passkey.' },
  'user.passkey_removed': { says: 'Somebody removed a passkey.' },
  'user.mfa_reset': {
    says: 'An operator took away all second factors of somebody who has lost them.',
    details: Type.Object(
      {
        totp: Type.Boolean({ description: 'There was an authenticator app' }),
        passkeys: Type.Integer({ description: 'How many there were' }),
        recoveryCodes: Type.Integer({ description: 'How many were left' }),
      },
      { additionalProperties: false },
    ),
    example: { totp: true, passkeys: 1, recoveryCodes: 9 },
  },
  'user.sso_linked': { says: 'An account was linked with one at an outside provider.' },
  'user.sso_unlinked': { says: 'The link to an outside provider was removed.' },
  'user.deletion_requested': { says: 'Somebody asked for their account to be deleted.' },
  'user.restored': { says: 'An account was taken back before it was erased.' },
  'user.erased': { says: 'An account was erased for good.' },
  'user.data_exported': { says: 'Somebody fetched their personal data.' },
})
