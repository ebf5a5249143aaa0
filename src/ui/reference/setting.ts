import type { CalendarDate } from "../../countries/brazil/calendar.ts";
import type { ListedAssumption } from "../../platform/assumptions/listing.ts";
import type { OwnObjects } from "./own-objects.ts";

/** What of this very sandbox stands on the page. */
export interface Setting {
  /** Scheme, host and port, as the reader's browser wrote them. */
  readonly origin: string;
  readonly token: string;
  /** The world's day in Brasília. */
  readonly today: CalendarDate;
  readonly objects: OwnObjects;
  /** Whether `/sandbox` is open to everybody: where it is not, the page names no objects. */
  readonly isOpen: boolean;
  readonly assumptions: readonly ListedAssumption[];
}
