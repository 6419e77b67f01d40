-- Every access token of a grant rests on how its person has proven who they are, also a token for a tenant that the
-- grant was for before. Nodes that remember the token learn of a change.
create trigger announce_amr after update of amr on grants
  for each row when (old.amr is distinct from new.amr) execute function announce_change('grant', 'id');
