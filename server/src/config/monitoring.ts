import type { Environment, Reader } from './reader.ts'

/** Where traces go. */
export interface Tracing {
  /** The whole address to which spans are posted. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The share of requests that is traced, from 0 to 1, of those whose caller has not decided. */
  readonly ratio: number
}

/** Of traces the names are OpenTelemetry's own, so that what is set for a whole platform works here too. */
export const MONITORING_VARIABLES: Record<string, string> = {
  METRICS_TOKEN:
    'bearer token that /metrics asks for; with serve, all figures but the plainest need one (none)',
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'http(s) address of an OpenTelemetry collector (OTLP over HTTP); without it, no traces',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers to send along, such as api-key=…, separated by commas (none)',
  OTEL_SERVICE_NAME: 'name of the service in traces (latchkey)',
  OTEL_TRACES_SAMPLER_ARG: 'share of requests to trace, from 0 to 1, unless the caller has decided (1)',
}

/** As long as nobody guesses, in characters that a header takes (RFC 6750 §2.1). */
export function readMetricsToken(read: Reader): string | undefined {
  const value = read.text('METRICS_TOKEN')
  if (value === undefined || /^[\w.~+/-]{16,}=*$/.test(value)) return value
  read.problems.push('METRICS_TOKEN must have 16 characters or more, of letters, digits and - . _ ~ + /')
  return undefined
}

export function readTracing(read: Reader): Tracing | undefined {
  const endpoint = readEndpoint(read)
  const headers = readHeaders(read)
  const serviceName = read.text('OTEL_SERVICE_NAME') ?? 'latchkey'
  const ratio = readRatio(read)
  return endpoint === undefined ? undefined : { endpoint, headers, serviceName, ratio }
}

export const findTracingWarnings = (env: Environment): string[] =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT && env.OTEL_EXPORTER_OTLP_PROTOCOL?.trim() === 'grpc'
    ? ['OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but traces are sent over HTTP: the collector must take that.']
    : []

function readEndpoint(read: Reader): string | undefined {
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const value = read.address(name, ['http://', 'https://'])
  if (value === undefined) return undefined
  if (!URL.canParse(value) || new URL(value).search || new URL(value).hash) {
    read.problems.push(`${name} must be an address such as http://collector:4318.`)
    return undefined
  }
  return `${value.replace(/\/+$/, '')}/v1/traces`
}

const HEADER = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/

function readHeaders(read: Reader): Record<string, string> {
  const pairs = (read.text('OTEL_EXPORTER_OTLP_HEADERS') ?? '')
    .split(',')
    .filter((pair) => pair.trim() !== '')
  const headers = pairs.map((pair) => toHeader(pair))
  // The values are secrets more often than not: they are not repeated.
  if (headers.includes(undefined)) {
    read.problems.push('OTEL_EXPORTER_OTLP_HEADERS must be pairs such as name=value, separated by commas.')
  }
  return Object.fromEntries(headers.filter((header) => header !== undefined))
}

/** Values are percent-encoded, as in W3C baggage. */
function toHeader(pair: string): [string, string] | undefined {
  const [, name, value] = HEADER.exec(pair) ?? []
  if (name === undefined || value === undefined) return undefined
  try {
    const decoded = decodeURIComponent(value)
    return /^[\x20-\x7e]*$/.test(decoded) ? [name, decoded] : undefined
  } catch {
    return undefined
  }
}

function readRatio(read: Reader): number {
  const value = read.text('OTEL_TRACES_SAMPLER_ARG')
  if (value === undefined) return 1
  const ratio = Number(value)
  if (/^\d*\.?\d+$/.test(value) && ratio <= 1) return ratio
  read.problems.push(`OTEL_TRACES_SAMPLER_ARG is "${value}": it must be a number from 0 to 1.`)
  return 1
}
