/** SVG paths for stroked icons with a 24 × 24 view box. */
const PATHS = {
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8a7 7 0 0 1 14 0',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6.5m2 3.5a6 6 0 0 1 3 5.5',
  shield: 'M12 3l7 3v5c0 4.5-3 8.2-7 10-4-1.8-7-5.5-7-10V6l7-3Z',
  device: 'M4 5h16v11H4zM9 20h6m-3-4v4',
  box: 'M12 3l8 4.5v9L12 21l-8-4.5v-9L12 3Zm0 9l8-4.5M12 12v9m0-9L4 7.5',
  mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
  seat: 'M7 4v9h9m-9 0v7m9-7v7M7 13l-1-9',
  hook: 'M9 8a3 3 0 1 1 4 2.8L10 16m-3 4a3 3 0 1 1 1.5-5.6M16 20a3 3 0 1 0-2.6-4.5L9.5 9',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  gear: 'M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM12 3v3m0 12v3M3 12h3m12 0h3M5.6 5.6l2.1 2.1m8.6 8.6 2.1 2.1m0-12.8-2.1 2.1m-8.6 8.6-2.1 2.1',
  home: 'M4 11l8-7 8 7v9H4v-9Zm6 9v-6h4v6',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  key: 'M8 16a4 4 0 1 1 3.5-6H21v4h-3v3h-3v-3h-3.5A4 4 0 0 1 8 16Zm0-4h.01',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  building: 'M5 21V4h9v17M14 9h5v12M8 8h3M8 12h3M8 16h3M3 21h18',
  tag: 'M4 4h8l8 8-8 8-8-8V4Zm4 4h.01',
  chevron: 'M7 10l5 5 5-5',
  up: 'M7 14l5-5 5 5',
  sort: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  right: 'M10 7l5 5-5 5',
  left: 'M14 7l-5 5 5 5',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5',
  check: 'M5 13l4 4L19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  dots: 'M4.7 12a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0m6.5 0a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0m6.5 0a.8.8 0 1 0 1.6 0 .8.8 0 1 0-1.6 0',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  moon: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z',
  contrast: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-18v18m0-15.5h5.5M12 9.5h8.5m-8.5 5h8.5m-8.5 4h5.5',
  out: 'M14 4H5v16h9M10 12h11m-4-4 4 4-4 4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5m4-5v5',
  refresh: 'M20 11a8 8 0 1 0-2 6m2-11v5h-5',
  warning: 'M12 4 2.5 20h19L12 4Zm0 6v4m0 3h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-10v6m0-9h.01',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  download: 'M12 4v11m-5-5 5 5 5-5M4 20h16',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1m2 3.5a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  play: 'M7 4l13 8-13 8V4Z',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm0-14v5l3 3',
  edit: 'M4 20h4L19 9l-4-4L4 16v4Zm9-13 4 4',
  phone: 'M7 3h10v18H7zM11 18h2',
  keyboard: 'M3 6h18v12H3zM7 10h.01M12 10h.01M17 10h.01M8 14h8',
  terminal: 'M4 5h16v14H4zM8 9l3 3-3 3m5 0h3',
} as const

export type IconName = keyof typeof PATHS

/** Icons that point in the direction of reading. */
const MIRRORED: readonly IconName[] = ['left', 'right', 'out', 'list']

/** A decorative icon, hidden from assistive technology. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    {...(MIRRORED.includes(name) && { className: 'mirrored' })}
  >
    <path d={PATHS[name]} />
  </svg>
)
