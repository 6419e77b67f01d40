import { Type } from 'typebox'
import { ActionResult, Timestamp } from '../../http/routing/schema.ts'

const Session = Type.Object(
  {
    id: Type.String(),
    userAgent: Type.String(),
    ipAddress: Type.String(),
    location: Type.String({ description: 'Such as "Berlin, Germany", else "Unknown"' }),
    lastActive: Timestamp,
    createdAt: Timestamp,
    isCurrent: Type.Boolean({ description: 'The session this request was made with' }),
  },
  { title: 'Session' },
)

export const SessionList = Type.Object({
  sessions: Type.Array(Session, { description: 'The one in use last comes first' }),
})

export const BySessionId = Type.Object({ sessionId: Type.String() })

export const EndedSessions = Type.Object(
  { ...ActionResult.properties, count: Type.Integer({ description: 'How many were ended' }) },
  { title: 'EndedSessions' },
)
