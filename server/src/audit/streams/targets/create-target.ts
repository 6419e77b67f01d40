import type { AuditStream } from '../../../config/audit-streams.ts'
import { createOtlpTarget } from './otlp.ts'
import { createS3Target } from './s3.ts'
import { createSyslogTarget } from './syslog.ts'
import type { Instance, Target } from './target.ts'

export function createTarget(settings: AuditStream, instance: Instance): Target {
  switch (settings.type) {
    case 'otlp':
      return createOtlpTarget(settings, instance)
    case 's3':
      return createS3Target(settings, instance)
    case 'syslog':
      return createSyslogTarget(settings, instance)
  }
}
