--
-- PostgreSQL database dump
--

\restrict hV3n0
SET standard_conforming_strings = on;

CREATE FUNCTION public.touch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN NEW.timestamp = 0; INSERT INTO handles VALUES ('no'); RETURN NEW; END; $$;

CREATE TABLE public.handles (
    handle bytea NOT NULL,
    idx integer NOT NULL,
    type bytea,
    data bytea,
    ttl_type smallint,
    ttl integer,
    "timestamp" integer,
    refs text,
    admin_read boolean,
    admin_write boolean,
    pub_read boolean,
    pub_write boolean
);

COPY public.handles (handle, idx, type, data, ttl_type, ttl, "timestamp", refs, admin_read, admin_write, pub_read, pub_write) FROM stdin;
\\x32302e3530302e31323334352f31	1	\\x55524c	\\x68747470733a2f2f612e6578616d706c652f31	0	86400	1556712000	\N	t	t	t	f
\\x32302e3530302e31323334352f32	1	\\x55524c	\\x68747470733a2f2f612e6578616d706c652f32	0	86400	1556712000	\N	t	t	t	f
\\x32302e3530302e31323334352f31	2	\\x44455343	\\x546561	1	1893456000	1556712009	\N	t	t	t	f
\\x32302e3530302e31323334352f33	1	\\x55524c
\.

ALTER TABLE ONLY public.handles ADD CONSTRAINT handles_pkey PRIMARY KEY (handle, idx);
\unrestrict hV3n0
