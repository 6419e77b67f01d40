import type { DailyLicenseUsage } from '@latchkey/client/types'
import { currentLocale } from '../../languages/catalog.ts'
import { formatNumber } from '../../ui/format.ts'
import { drawArea, drawSteps, type Scale } from './chart-scale.ts'

const dayMonth = new Intl.DateTimeFormat(currentLocale(), { month: 'short', day: 'numeric', timeZone: 'UTC' })
const monthYear = new Intl.DateTimeFormat(currentLocale(), { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The chart with a marker at the selected day. Its values are shown as text next to the chart. */
export function UsageDrawing({ days, scale, index }: { days: DailyLicenseUsage[]; scale: Scale; index: number }) {
  const assigned = days.map((day) => day.assigned)
  const purchased = days.map((day) => day.purchased)
  const middle = (scale.x(index) + scale.x(index + 1)) / 2
  return (
    <svg width={scale.width} height={scale.height} aria-hidden="true">
      <Axes days={days} scale={scale} />
      <path d={drawArea(assigned, scale)} className="usage-area" />
      <path d={drawSteps(assigned, scale)} className="usage-edge" />
      <path d={drawSteps(purchased, scale)} className="usage-line" />
      <line x1={middle} x2={middle} y1={scale.y(scale.ticks.at(-1) ?? 0)} y2={scale.bottom} className="usage-marker" />
      <circle cx={middle} cy={scale.y(assigned[index] ?? 0)} r={4} className="usage-dot" />
    </svg>
  )
}

function Axes({ days, scale }: { days: DailyLicenseUsage[]; scale: Scale }) {
  const format = days.length > 120 ? monthYear : dayMonth
  return (
    <g>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line x1={scale.start} x2={scale.end} y1={scale.y(tick)} y2={scale.y(tick)} className="usage-grid" />
          <text x={scale.textEnd} y={scale.y(tick) + 4} textAnchor="end">
            {formatNumber(tick)}
          </text>
        </g>
      ))}
      {scale.labeled.map((index) => {
        const isLast = index === days.length - 1
        return (
          <text
            key={index}
            x={isLast ? scale.end : (scale.x(index) + scale.x(index + 1)) / 2}
            y={scale.height - 6}
            textAnchor={isLast ? 'end' : 'middle'}
          >
            {format.format(new Date(days[index]?.day ?? 0))}
          </text>
        )
      })}
    </g>
  )
}
