// Times around changes of the clock in 2027, computed by another implementation on other data: Python's zoneinfo (PEP 495) with
// tzdata 2025b of Debian, where `fold` is 0 for `later` and `first`, and 1 for `earlier` and `second`.

export type Rule = "later" | "earlier" | "first" | "second" | "plain";

export const CLOCK_CHANGES: readonly (readonly [zone: string, local: string, rule: Rule, instant: string])[] = [
  ["Europe/Berlin", "2027-03-28T02:30", "later", "2027-03-28T01:30:00.000Z"],
  ["Europe/Berlin", "2027-03-28T02:30", "earlier", "2027-03-28T00:30:00.000Z"],
  ["Europe/Berlin", "2027-10-31T02:30", "first", "2027-10-31T00:30:00.000Z"],
  ["Europe/Berlin", "2027-10-31T02:30", "second", "2027-10-31T01:30:00.000Z"],
  ["Europe/Berlin", "2027-03-28T01:59", "plain", "2027-03-28T00:59:00.000Z"],
  ["Europe/Dublin", "2027-03-28T01:30", "later", "2027-03-28T01:30:00.000Z"],
  ["Europe/Dublin", "2027-03-28T01:30", "earlier", "2027-03-28T00:30:00.000Z"],
  ["Europe/Dublin", "2027-10-31T01:30", "first", "2027-10-31T00:30:00.000Z"],
  ["Europe/Dublin", "2027-10-31T01:30", "second", "2027-10-31T01:30:00.000Z"],
  ["Europe/Dublin", "2027-03-28T00:59", "plain", "2027-03-28T00:59:00.000Z"],
  ["America/New_York", "2027-03-14T02:30", "later", "2027-03-14T07:30:00.000Z"],
  ["America/New_York", "2027-03-14T02:30", "earlier", "2027-03-14T06:30:00.000Z"],
  ["America/New_York", "2027-11-07T01:30", "first", "2027-11-07T05:30:00.000Z"],
  ["America/New_York", "2027-11-07T01:30", "second", "2027-11-07T06:30:00.000Z"],
  ["America/New_York", "2027-03-14T01:59", "plain", "2027-03-14T06:59:00.000Z"],
  ["America/St_Johns", "2027-03-14T02:30", "later", "2027-03-14T06:00:00.000Z"],
  ["America/St_Johns", "2027-03-14T02:30", "earlier", "2027-03-14T05:00:00.000Z"],
  ["America/St_Johns", "2027-11-07T01:30", "first", "2027-11-07T04:00:00.000Z"],
  ["America/St_Johns", "2027-11-07T01:30", "second", "2027-11-07T05:00:00.000Z"],
  ["America/St_Johns", "2027-03-14T01:59", "plain", "2027-03-14T05:29:00.000Z"],
  ["America/Santiago", "2027-09-05T00:30", "later", "2027-09-05T04:30:00.000Z"],
  ["America/Santiago", "2027-09-05T00:30", "earlier", "2027-09-05T03:30:00.000Z"],
  ["America/Santiago", "2027-04-03T23:30", "first", "2027-04-04T02:30:00.000Z"],
  ["America/Santiago", "2027-04-03T23:30", "second", "2027-04-04T03:30:00.000Z"],
  ["America/Santiago", "2027-09-04T23:59", "plain", "2027-09-05T03:59:00.000Z"],
  ["Africa/Cairo", "2027-04-30T00:30", "later", "2027-04-29T22:30:00.000Z"],
  ["Africa/Cairo", "2027-04-30T00:30", "earlier", "2027-04-29T21:30:00.000Z"],
  ["Africa/Cairo", "2027-10-28T23:30", "first", "2027-10-28T20:30:00.000Z"],
  ["Africa/Cairo", "2027-10-28T23:30", "second", "2027-10-28T21:30:00.000Z"],
  ["Africa/Cairo", "2027-04-29T23:59", "plain", "2027-04-29T21:59:00.000Z"],
  ["Australia/Lord_Howe", "2027-10-03T02:15", "later", "2027-10-02T15:45:00.000Z"],
  ["Australia/Lord_Howe", "2027-10-03T02:15", "earlier", "2027-10-02T15:15:00.000Z"],
  ["Australia/Lord_Howe", "2027-04-04T01:45", "first", "2027-04-03T14:45:00.000Z"],
  ["Australia/Lord_Howe", "2027-04-04T01:45", "second", "2027-04-03T15:15:00.000Z"],
  ["Australia/Lord_Howe", "2027-10-03T01:59", "plain", "2027-10-02T15:29:00.000Z"],
  ["Pacific/Chatham", "2027-09-26T03:15", "later", "2027-09-25T14:30:00.000Z"],
  ["Pacific/Chatham", "2027-09-26T03:15", "earlier", "2027-09-25T13:30:00.000Z"],
  ["Pacific/Chatham", "2027-04-04T03:15", "first", "2027-04-03T13:30:00.000Z"],
  ["Pacific/Chatham", "2027-04-04T03:15", "second", "2027-04-03T14:30:00.000Z"],
  ["Pacific/Chatham", "2027-09-26T02:44", "plain", "2027-09-25T13:59:00.000Z"],
];

/** The fields of a request that ask for the rule; a rule that is the default is left out. */
export const toRules = (rule: Rule) => ({
  ...(rule === "earlier" ? { on_gap: rule } : {}),
  ...(rule === "second" ? { on_overlap: rule } : {}),
});
