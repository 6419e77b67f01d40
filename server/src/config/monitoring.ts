import { parseHeaders } from './headers.ts'
import type { Environment, Reader } from './reader.ts'

/** The trace exporter. */
export interface Tracing {
  /** The full URL that spans are posted to. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** The ratio of traced requests, from 0 to 1, unless the caller has decided. */
  readonly ratio: number
}

/** Tracing uses the standard variables of OpenTelemetry. */
export const MONITORING_VARIABLES: Record<string, string> = {
  METRICS_TOKEN: 'bearer token for /metrics; with serve, all metrics except the basic ones require it (none)',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http(s) address of an OpenTelemetry collector (OTLP over HTTP); without it, no traces',
  OTEL_EXPORTER_OTLP_HEADERS: 'additional headers such as api-key=…, separated by commas (none)',
  OTEL_SERVICE_NAME: 'name of the service in traces (latchkey)',
  OTEL_TRACES_SAMPLER_ARG: 'ratio of requests to trace, from 0 to 1, unless the caller has decided (1)',
}

/** Too long to guess, and in the characters of a bearer token (RFC 6750 §2.1). */
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
    ? ['OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but traces are sent over HTTP: the collector must accept that.']
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

function readHeaders(read: Reader): Record<string, string> {
  const headers = parseHeaders(read.text('OTEL_EXPORTER_OTLP_HEADERS') ?? '')
  // The values may be secrets, so they are not printed.
  if (!headers) read.problems.push('OTEL_EXPORTER_OTLP_HEADERS must be pairs such as name=value, separated by commas.')
  return headers ?? {}
}

function readRatio(read: Reader): number {
  const value = read.text('OTEL_TRACES_SAMPLER_ARG')
  if (value === undefined) return 1
  const ratio = Number(value)
  if (/^\d*\.?\d+$/.test(value) && ratio <= 1) return ratio
  read.problems.push(`OTEL_TRACES_SAMPLER_ARG is "${value}": it must be a number from 0 to 1.`)
  return 1
}
