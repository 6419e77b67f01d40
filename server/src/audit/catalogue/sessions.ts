import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

export const sessionKinds = defineKinds({
  'session.started': { says: 'Somebody signed in.' },
  'session.refused': { says: 'Somebody could not be signed in: by a wrong password, or for another reason.' },
  'session.second_factor_shown': { says: 'Somebody showed a second factor in a session that they had.' },
  'session.second_factor_refused': { says: 'Somebody gave a wrong second factor.' },
  'session.ended': { says: 'Somebody signed out, or a session of theirs was ended.' },
  'session.others_ended': { says: 'Somebody ended all of their other sessions.' },
  'session.all_ended': {
    says: 'An operator ended all sessions of somebody.',
    details: Type.Object(
      { count: Type.Integer({ description: 'How many there were' }) },
      { additionalProperties: false },
    ),
    example: { count: 2 },
  },
})
