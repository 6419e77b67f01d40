import type { StreamEvent } from '../../../src/audit/streams/event.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'

interface KeyValue {
  key: string
  value: { stringValue?: string; intValue?: string }
}

export interface LogRecord {
  timeUnixNano: string
  observedTimeUnixNano: string
  severityNumber: number
  severityText: string
  eventName: string
  body: { stringValue: string }
  attributes: KeyValue[]
}

export interface OtlpReceiver extends HttpReceiver {
  /** All records in the order of arrival, including repetitions. */
  records: LogRecord[]
  events(): StreamEvent[]
  /** The number of records in each request. */
  batches: number[]
}

/** A collector that accepts logs as JSON, and refuses what the protocol does not allow. */
export async function startOtlpReceiver(port?: number): Promise<OtlpReceiver> {
  const records: LogRecord[] = []
  const batches: number[] = []
  const receiver = await startHttpReceiver(({ method, url, headers }, body) => {
    try {
      if (method !== 'POST' || url !== '/v1/logs' || headers['content-type'] !== 'application/json') {
        throw new Error('only POST /v1/logs with JSON is supported')
      }
      const received = decodeRequest(JSON.parse(body.toString()))
      records.push(...received)
      if (received.length > 0) batches.push(received.length)
      return { status: 200, body: '{"partialSuccess":{}}' }
    } catch (error) {
      return { status: 400, body: JSON.stringify({ code: 3, message: String(error) }) }
    }
  }, port)
  return {
    ...receiver,
    url: `${receiver.url}/v1/logs`,
    records,
    batches,
    events: () => records.map((record) => JSON.parse(record.body.stringValue)),
  }
}

/** The fields of opentelemetry.proto.logs.v1 that are decoded here. Any other one fails the request. */
const only = <T extends object>(message: T, ...fields: (keyof T & string)[]): T => {
  for (const field of Object.keys(message)) {
    if (!fields.includes(field as keyof T & string)) throw new Error(`unknown field ${field}`)
  }
  return message
}

interface ExportLogsRequest {
  resourceLogs: { resource: { attributes: KeyValue[] }; scopeLogs: ScopeLogs[] }[]
}
interface ScopeLogs {
  scope: { name: string; version: string }
  logRecords: LogRecord[]
}

function decodeRequest(request: ExportLogsRequest): LogRecord[] {
  return only(request, 'resourceLogs').resourceLogs.flatMap((resourceLogs) => {
    const { resource, scopeLogs } = only(resourceLogs, 'resource', 'scopeLogs')
    checkAttributes(only(resource, 'attributes').attributes)
    return scopeLogs.flatMap(({ scope, logRecords }) => {
      only(scope, 'name', 'version')
      return logRecords.map(decodeRecord)
    })
  })
}

function decodeRecord(record: LogRecord): LogRecord {
  only(
    record,
    'timeUnixNano',
    'observedTimeUnixNano',
    'severityNumber',
    'severityText',
    'eventName',
    'body',
    'attributes',
  )
  // 64-bit integers are decimal strings in the JSON encoding of protobuf.
  for (const time of [record.timeUnixNano, record.observedTimeUnixNano]) checkInteger(time)
  if (!Number.isInteger(record.severityNumber)) throw new Error('severityNumber must be an enum number')
  if (typeof record.body.stringValue !== 'string') throw new Error('the body must be a string')
  checkAttributes(record.attributes)
  return record
}

function checkAttributes(attributes: KeyValue[]): void {
  for (const { key, value } of attributes) {
    const [[kind, content] = []] = Object.entries(only(value, 'stringValue', 'intValue'))
    if (typeof key !== 'string' || typeof content !== 'string') throw new Error(`${key} has no valid value`)
    if (kind === 'intValue') checkInteger(content)
  }
}

function checkInteger(text: unknown): void {
  if (typeof text !== 'string' || !/^\d+$/.test(text)) throw new Error(`${text} must be a decimal string`)
}

/** The attributes of a record by name. */
export const attributesOf = ({ attributes }: LogRecord): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
