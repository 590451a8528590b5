/** A time as Go writes it (RFC 3339): in the zone of this machine, without zeros at the end of the fraction. */
export function timestamp(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString().replace(/\.?0*Z$/, "");
  if (offset === 0) return `${local}Z`;
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
    String(n).padStart(2, "0"),
  );
  return `${local}${offset < 0 ? "-" : "+"}${hours}:${minutes}`;
}
