import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

export const userKinds = defineKinds({
  'user.registered': { says: 'Somebody made an account.' },
  'user.registration_refused': { says: 'Somebody tried to make an account with an address that has one.' },
  'user.created': { says: 'An operator made an account for somebody.' },
  'user.imported': {
    says: 'An account came from another system.',
    details: Type.Object(
      { emailVerified: Type.Boolean(), hasPassword: Type.Boolean(), disabled: Type.Boolean() },
      { additionalProperties: false },
    ),
    example: { emailVerified: true, hasPassword: true, disabled: false },
  },
  'user.profile_changed': { says: 'Somebody changed their profile.' },
  'user.changed': { says: 'An operator changed an account.' },
  'user.disabled': { says: 'An operator disabled an account: it ends every session and token at once.' },
  'user.enabled': { says: 'An operator enabled an account again.' },
  'user.password_changed': { says: 'Somebody changed their password.' },
  'user.password_reset_requested': { says: 'Somebody asked for a link to set a new password.' },
  'user.password_reset_forced': {
    says: 'An operator made somebody choose a new password: the old one is good no more.',
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
  'user.mfa_reset': { says: 'An operator took away all second factors of somebody who has lost them.' },
  'user.sso_linked': { says: 'An account was linked with one at an outside provider.' },
  'user.sso_unlinked': { says: 'The link to an outside provider was removed.' },
  'user.deletion_requested': { says: 'Somebody asked for their account to be deleted.' },
  'user.restored': { says: 'An account was taken back before it was erased.' },
  'user.erased': { says: 'An account was erased for good.' },
  'user.data_exported': { says: 'Somebody fetched their personal data.' },
})
