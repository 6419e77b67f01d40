import { Type } from 'typebox'
import { defineKinds, facts, Id, SAMPLE, telling } from './kind.ts'

const Session = facts({ sessionId: Id })
const session = { sessionId: SAMPLE.session }

export const sessionKinds = defineKinds({
  'session.started': {
    says: 'Somebody signed in.',
    ...telling(facts({ sessionId: Id, amr: Type.Array(Type.String()) }), {
      ...session,
      amr: ['pwd', 'otp', 'mfa'],
    }),
  },
  'session.refused': { says: 'Somebody could not be signed in: by a wrong password, or for another reason.' },
  'session.second_factor_shown': { says: 'Somebody showed a second factor in a session that they had.' },
  'session.second_factor_refused': { says: 'Somebody gave a wrong second factor.' },
  'session.ended': {
    says: 'Somebody signed out, or a session of theirs was ended.',
    ...telling(Session, session),
  },
  'session.others_ended': {
    says: 'Somebody ended all of their other sessions.',
    ...telling(facts({ count: Type.Integer() }), { count: 2 }),
  },
  'session.all_ended': { says: 'An operator ended all sessions of somebody.' },
})
