import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

const suspension = (suspended: boolean) => {
  const State = Type.Object({ suspended: Type.Boolean() }, { additionalProperties: false })
  return {
    details: Type.Object({ before: State, after: State }, { additionalProperties: false }),
    example: { before: { suspended: !suspended }, after: { suspended } },
  }
}

export const tenantKinds = defineKinds({
  'tenant.created': { says: 'A tenant was founded.' },
  'tenant.changed': { says: 'Name, slug, settings or MFA policy of a tenant were changed.' },
  'tenant.suspended': {
    says: 'An operator suspended a tenant: nobody can act for it.',
    ...suspension(true),
  },
  'tenant.reactivated': { says: 'An operator ended the suspension of a tenant.', ...suspension(false) },
  'tenant.deleted': { says: 'A tenant was deleted.' },
  'member.joined': { says: 'Somebody became a member by accepting an invitation.' },
  'member.added': { says: 'Somebody became a member: the founder, or whom an operator added.' },
  'member.role_changed': { says: 'A member has another role.' },
  'member.suspended': { says: 'A member was suspended.' },
  'member.reactivated': { says: 'The suspension of a member was ended.' },
  'member.removed': { says: 'A member was removed.' },
  'member.left': { says: 'A member left.' },
  'member.returned': { says: 'A member is back, with the account that they took back.' },
  'invitation.created': { says: 'Somebody was invited.' },
  'invitation.resent': { says: 'An invitation was sent again.' },
  'invitation.revoked': { says: 'An invitation was taken back.' },
  'invitation.accepted': { says: 'An invitation was accepted.' },
  'invitation.expired': { says: 'An invitation was not accepted in time.' },
})
