/** A link color with enough contrast on hovered rows, which are lighter in the dark scheme. */
export const LINK = 'light-dark(var(--mantine-color-brand-7), var(--mantine-color-brand-2))'
