-- What is kept beside the days is forgotten by its age: each of these is found without reading what stays.
create index endpoint_hours_by_hour on endpoint_hours (hour);
create index endpoint_absences_by_end on endpoint_absences (until_at) where until_at is not null;
create index recoveries_by_end on recoveries (finished_at) where finished_at is not null;
