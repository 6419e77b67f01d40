import type { OtlpSettings } from '../../../config/audit-streams.ts'
import { VERSION } from '../../../lib/version.ts'
import type { Batch, StreamEvent } from '../event.ts'
import { sendMessage } from './http.ts'
import type { Instance, Rejection, Target } from './target.ts'

const LIMITS = { maxEvents: 1_000, maxBytes: 1024 ** 2 }

/** SEVERITY_NUMBER_INFO. */
const INFO = 9

/**
 * Posts log records with OTLP over HTTP, as JSON. Every status except 2xx is retried. The protocol lets clients drop
 * what they cannot send, but an audit log must not have gaps.
 */
export function createOtlpTarget({ url, headers, tls }: OtlpSettings, { baseUrl }: Instance): Target {
  const post = (request: unknown, abort: AbortSignal) =>
    sendMessage(
      {
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(request)),
        tls,
        secrets: Object.values(headers),
      },
      abort,
    )
  return {
    limits: LIMITS,
    send: async (batch, abort) => findRejection(await post(toRequest(batch, baseUrl), abort)),
    // A request without records is valid, and shows whether the credentials are accepted.
    async check(abort) {
      await post({ resourceLogs: [] }, abort)
    },
  }
}

type Value = { stringValue: string } | { intValue: string }
const text = (stringValue: string): Value => ({ stringValue })

/** Attributes without those whose value is null. */
const toAttributes = (values: Record<string, Value | string | null>): { key: string; value: Value }[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: typeof value === 'string' ? text(value) : value }],
  )

/** An ExportLogsServiceRequest. */
const toRequest = ({ events }: Batch, baseUrl: string) => ({
  resourceLogs: [
    {
      resource: { attributes: toAttributes({ 'service.name': 'latchkey', 'latchkey.base_url': baseUrl }) },
      scopeLogs: [{ scope: { name: 'latchkey.audit', version: VERSION }, logRecords: events.map(toRecord) }],
    },
  ],
})

function toRecord(event: StreamEvent) {
  const time = `${Date.parse(event.occurredAt)}000000`
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: INFO,
    severityText: 'INFO',
    eventName: event.action,
    body: text(JSON.stringify(event)),
    // Names of the OpenTelemetry semantic conventions where there is one.
    attributes: toAttributes({
      'log.record.uid': event.id,
      'latchkey.audit.position': { intValue: String(event.position) },
      'latchkey.audit.hash': event.hash,
      'latchkey.audit.action': event.action,
      'latchkey.actor.kind': event.actor.kind,
      'latchkey.actor.id': event.actor.id,
      'latchkey.client.id': event.clientId,
      'latchkey.tenant.id': event.tenantId,
      'latchkey.request.id': event.requestId,
      'user.id': event.userId,
      'user.email': event.email,
      'client.address': event.ipAddress,
      'user_agent.original': event.userAgent,
    }),
  }
}

/** The records that a collector dropped although it accepted the request. The protocol forbids to send them again. */
function findRejection(body: string): Rejection | undefined {
  const { rejectedLogRecords = 0, errorMessage = '' } = parseResponse(body)?.partialSuccess ?? {}
  const count = Number(rejectedLogRecords)
  return count > 0 ? { count, reason: String(errorMessage).slice(0, 300) } : undefined
}

interface ExportLogsResponse {
  partialSuccess?: { rejectedLogRecords?: number | string; errorMessage?: string } | null
}

/** Returns undefined if the body is not JSON. The status has confirmed the request. */
function parseResponse(body: string): ExportLogsResponse | undefined {
  try {
    return JSON.parse(body) ?? undefined
  } catch {
    return undefined
  }
}
